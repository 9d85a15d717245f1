#include "harness/show/job_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "harness/judge/job_checkup.h"
#include "harness/judge/phrase.h"

namespace loadline {
namespace {

// As schedulers write it: "00:01:12".
std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  return fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string memory_text(std::uint64_t bytes) {
  constexpr double kMebibyte = 1 << 20;
  const double mebibytes = static_cast<double>(bytes) / kMebibyte;
  return mebibytes < 1024 ? fmt::format("{:.0f} MiB", mebibytes) : fmt::format("{:.1f} GiB", mebibytes / 1024);
}

// If the scheduler binds CPUs without reporting how many, those in force are the ones that it gave.
std::string cpu_line(const RunUsage& process, const Environment& environment) {
  const std::size_t cpus = environment.job->cpus.value_or(environment.machine.threads_in_force);
  const double given = static_cast<double>(cpus) * process.wall_seconds;
  const double used = process.usage.user_cpu_seconds + process.usage.system_cpu_seconds;
  return fmt::format("CPU efficiency  {} of {} for {}", percent({.value = given > 0 ? used / given : 0}),
                     plural(cpus, "CPU"), clock_text(process.wall_seconds));
}

bool has_ranks(const Result& result) {
  return result.ranks && result.ranks->places.size() > 1;
}

bool has_one_host(const RunRanks& ranks) {
  return std::ranges::all_of(ranks.places,
                             [&](const RankPlace& place) { return place.host == ranks.places.front().host; });
}

// The memory of all ranks; nullopt where they do not run on one node, for which memory is requested, or the system did
// not tell.
std::optional<std::uint64_t> peak_of_ranks(const Result& result) {
  if (!has_one_host(*result.ranks)) return std::nullopt;
  std::optional<std::uint64_t> peak;
  for (const CellResult& cell : result.cells) {
    for (const Trial& trial : cell.trials) peak = std::max(peak, trial.usage.peak_rss_bytes);
  }
  return peak;
}

std::string memory_line(const Result& result) {
  const Environment& environment = result.environment;
  std::uint64_t peak = result.process->usage.peak_rss_bytes.value_or(0);
  const bool many = has_ranks(result);
  if (many) {
    const auto all = peak_of_ranks(result);
    if (!all) return fmt::format("peak memory     {} (rank 0)", memory_text(peak));
    peak = std::max(peak, *all);
  }
  const auto of = [&](std::uint64_t bytes, const char* what) {
    return fmt::format("peak memory     {}, {} of the {} {}{}", memory_text(peak),
                       percent({.value = static_cast<double>(peak) / static_cast<double>(bytes)}), memory_text(bytes),
                       what, many ? " (all ranks)" : "");
  };
  if (environment.job->memory_bytes) return of(*environment.job->memory_bytes, "requested");
  if (environment.machine.cgroup_memory_limit_bytes)
    return of(*environment.machine.cgroup_memory_limit_bytes, "allowed");
  return fmt::format("peak memory     {}{}", memory_text(peak), many ? " (all ranks)" : "");
}

}  // namespace

std::string job_text(const Result& result) {
  if (!result.environment.job || !result.process) return "";
  return fmt::format("job {}\n{}{}\n{}\n", job_words(*result.environment.job),
                     cpu_line(*result.process, result.environment), has_ranks(result) ? " (rank 0)" : "",
                     memory_line(result));
}

std::string short_job_text(const std::optional<Job>& job, double seconds, const std::string& now) {
  const auto left = job ? seconds_left(*job, now) : std::nullopt;
  return left && *left < seconds ? fmt::format("the job has {} left, less than the run takes", time_text(*left)) : "";
}

}  // namespace loadline
