#include "harness/measure/delays.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "harness/machine/cgroup.h"
#include "harness/machine/kernel_text.h"

namespace loadline {
namespace {

constexpr const char* kTasks = "/proc/self/task";

// 0 if the system does not report it, so that nothing parses.
double ticks_per_second() {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  return ticks > 0 ? static_cast<double>(ticks) : 0;
}

std::optional<double> seconds_of_ticks(std::string_view text, double ticks) {
  const auto count = parse_whole(text);
  return count && ticks > 0 ? std::optional(static_cast<double>(*count) / ticks) : std::nullopt;
}

std::optional<double> scaled(std::optional<std::string_view> text, double seconds) {
  const auto count = parse_whole(text.value_or(""));
  return count ? std::optional(static_cast<double>(*count) * seconds) : std::nullopt;
}

std::optional<double> positive_difference(std::optional<double> after, std::optional<double> before) {
  if (!after || !before) return std::nullopt;
  return std::max(0.0, *after - *before);
}

std::optional<double> sum_if_both_known(std::optional<double> first, std::optional<double> second) {
  return first && second ? std::optional(*first + *second) : std::nullopt;
}

void add(std::optional<double>& sum, std::optional<double> term) {
  if (term) sum = sum.value_or(0) + *term;
}

}  // namespace

DelaysBetween difference(const Delays& after, const Delays& before) {
  DelaysBetween between{.idle_seconds = positive_difference(after.idle_seconds, before.idle_seconds),
                        .steal_seconds = positive_difference(after.steal_seconds, before.steal_seconds),
                        .throttled_seconds = positive_difference(after.throttled_seconds, before.throttled_seconds)};
  if (!after.threads || !before.threads) return between;
  for (const auto& [id, now] : *after.threads) {
    const auto known = before.threads->find(id);
    const bool same = known != before.threads->end() && known->second.run_delay_seconds <= now.run_delay_seconds;
    const ThreadDelays then = same ? known->second : ThreadDelays();
    add(between.run_delay_seconds, now.run_delay_seconds - then.run_delay_seconds);
    if (!now.blocked_io_seconds) continue;
    add(between.blocked_io_seconds, std::max(0.0, *now.blocked_io_seconds - then.blocked_io_seconds.value_or(0)));
  }
  return between;
}

DelayMeter::DelayMeter(std::vector<std::size_t> cpus, SystemFiles files)
    : files_(std::move(files)),
      cpus_(std::move(cpus)),
      // Since Linux 5.14 it is off by default, and the field then stays 0.
      counts_blocked_io_(files_.line("/proc/sys/kernel/task_delayacct") == "1"),
      cgroup_statistics_(cgroup_cpu_statistics(files_)) {}

Delays DelayMeter::now() const {
  Delays delays;
  const double ticks = ticks_per_second();
  for (const std::string& task : files_.directories(kTasks)) {
    const auto id = parse_whole(task);
    const std::string place = fmt::format("{}/{}", kTasks, task);
    const auto run_delay = parse_run_delay_seconds(files_.text(place + "/schedstat").value_or(""));
    if (!id || !run_delay) continue;
    if (!delays.threads) delays.threads.emplace();
    ThreadDelays& thread = (*delays.threads)[*id];
    thread.run_delay_seconds = *run_delay;
    if (!counts_blocked_io_) continue;
    thread.blocked_io_seconds = parse_blocked_io_seconds(files_.text(place + "/stat").value_or(""), ticks);
  }
  const CpuTimes times = parse_cpu_times(files_.text("/proc/stat").value_or(""), cpus_, ticks);
  delays.idle_seconds = times.idle_seconds;
  delays.steal_seconds = times.steal_seconds;
  // Each group is throttled separately: while a group above it is throttled, none of its own time passes.
  for (const auto& path : cgroup_statistics_) {
    add(delays.throttled_seconds, parse_throttled_seconds(files_.text(path).value_or("")));
  }
  return delays;
}

std::optional<double> parse_run_delay_seconds(std::string_view schedstat) {
  const auto numbers = split(trimmed(schedstat), ' ');
  return numbers.size() < 3 ? std::nullopt : scaled(numbers[1], 1e-9);
}

std::optional<double> parse_blocked_io_seconds(std::string_view stat, double ticks_per_second) {
  // The second field is the thread's name in brackets, which may contain blanks and brackets.
  constexpr std::size_t kFirstBehindName = 3;
  constexpr std::size_t kField = 42;
  const auto bracket = stat.rfind(')');
  if (bracket == std::string_view::npos) return std::nullopt;
  const auto fields = split(trimmed(stat.substr(bracket + 1)), ' ');
  if (fields.size() <= kField - kFirstBehindName) return std::nullopt;
  return seconds_of_ticks(fields[kField - kFirstBehindName], ticks_per_second);
}

CpuTimes parse_cpu_times(std::string_view stat, const std::vector<std::size_t>& cpus, double ticks_per_second) {
  constexpr std::size_t kIdle = 4;
  constexpr std::size_t kAwaitingStorage = 5;
  constexpr std::size_t kSteal = 8;
  std::map<std::string_view, CpuTimes> times;
  for (const std::string_view line : lines_of(stat)) {
    if (!line.starts_with("cpu")) continue;
    const auto words = split(line, ' ');
    const auto seconds = [&](std::size_t word) {
      return word < words.size() ? seconds_of_ticks(words[word], ticks_per_second) : std::nullopt;
    };
    CpuTimes& of_line = times[words.front()];
    of_line.steal_seconds = seconds(kSteal);
    const auto idle = seconds(kIdle);
    const auto awaiting = seconds(kAwaitingStorage);
    if (idle && awaiting) of_line.idle_seconds = *idle + *awaiting;
  }
  std::vector<std::string> names;
  for (const std::size_t cpu : cpus) names.push_back(fmt::format("cpu{}", cpu));
  if (names.empty()) names.emplace_back("cpu");
  CpuTimes sum{.idle_seconds = 0, .steal_seconds = 0};
  for (const std::string& name : names) {
    const CpuTimes& found = times[name];
    sum.idle_seconds = sum_if_both_known(sum.idle_seconds, found.idle_seconds);
    sum.steal_seconds = sum_if_both_known(sum.steal_seconds, found.steal_seconds);
  }
  return sum;
}

std::optional<double> parse_throttled_seconds(std::string_view cpu_stat) {
  if (const auto of_version_2 = scaled(value_of(cpu_stat, "throttled_usec", ' '), 1e-6)) return of_version_2;
  return scaled(value_of(cpu_stat, "throttled_time", ' '), 1e-9);
}

}  // namespace loadline
