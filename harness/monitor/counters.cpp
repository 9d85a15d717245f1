#include "harness/monitor/counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/machine/kernel_text.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

class PerfEvents final : public HardwareCounters {
 public:
  int open(HardwareEvent event, std::uint64_t thread, bool user_mode_only) const override {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.exclude_kernel = user_mode_only ? 1 : 0;
    attributes.exclude_hv = 1;
    switch (event) {
      case HardwareEvent::kInstructions: attributes.config = PERF_COUNT_HW_INSTRUCTIONS; break;
      case HardwareEvent::kCycles: attributes.config = PERF_COUNT_HW_CPU_CYCLES; break;
      case HardwareEvent::kLlcMisses: attributes.config = PERF_COUNT_HW_CACHE_MISSES; break;
      case HardwareEvent::kDtlbMisses:
        attributes.type = PERF_TYPE_HW_CACHE;
        attributes.config =
            PERF_COUNT_HW_CACHE_DTLB | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
        break;
    }
    const long descriptor = ::syscall(SYS_perf_event_open, &attributes, static_cast<pid_t>(thread), -1, -1,
                                      static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC));
    return descriptor < 0 ? -errno : static_cast<int>(descriptor);
  }

  std::optional<CounterValue> read(int descriptor) const override {
    CounterValue value;
    static_assert(sizeof value == 24);
    if (::read(descriptor, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) return std::nullopt;
    return value;
  }

  void close(int descriptor) const override { ::close(descriptor); }
};

std::string_view name_of(HardwareEvent event) {
  switch (event) {
    case HardwareEvent::kInstructions: return "instructions";
    case HardwareEvent::kCycles: return "cycles";
    case HardwareEvent::kLlcMisses: return "last-level cache misses";
    case HardwareEvent::kDtlbMisses: return "dTLB misses";
  }
  return "";
}

// Why the system does not count it.
std::string reason_of(int error, const SystemFiles& files) {
  if (error == EACCES || error == EPERM) {
    const auto paranoid = files.line("/proc/sys/kernel/perf_event_paranoid");
    if (paranoid && parse_decimal(*paranoid).value_or(0) > 2) {
      return fmt::format(
          "the system does not let this process count them (kernel.perf_event_paranoid is {}; 2 or less would)",
          *paranoid);
    }
    return "the system does not let this process count them, possibly because of a container's seccomp filter";
  }
  if (error == ENOSYS) return "the kernel, or a seccomp filter, does not offer perf_event_open";
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == EINVAL) {
    return "this machine offers no hardware counters for them, as is usual for virtual machines";
  }
  return fmt::format("perf_event_open failed with error {}", error);
}

// A count over a part of the time is extrapolated to all of it.
std::optional<double> counted_between(const std::optional<CounterValue>& before,
                                      const std::optional<CounterValue>& after) {
  if (!before || !after) return std::nullopt;
  const auto grown = [](std::uint64_t from, std::uint64_t to) { return static_cast<double>(to - from); };
  const double wanted = grown(before->wanted_nanoseconds, after->wanted_nanoseconds);
  const double counted = grown(before->counted_nanoseconds, after->counted_nanoseconds);
  if (wanted <= 0) return 0;  // the thread did not run
  if (counted <= 0) return std::nullopt;
  return grown(before->value, after->value) * wanted / counted;
}

std::string task_file(std::uint64_t thread, std::string_view name) {
  return fmt::format("/proc/self/task/{}/{}", thread, name);
}

void add_growth(std::optional<std::uint64_t>& sum, std::optional<std::uint64_t> before,
                std::optional<std::uint64_t> after) {
  if (!sum) return;
  sum = before && after && *after >= *before ? std::optional(*sum + *after - *before) : std::nullopt;
}

}  // namespace

const HardwareCounters& system_counters() {
  static const PerfEvents kCounters;
  return kCounters;
}

EventCounters::EventCounters(const HardwareCounters& hardware, SystemFiles files)
    : hardware_(hardware), files_(std::move(files)) {
  const auto self = this_thread_number();
  std::vector<std::string> missing;
  int error = 0;
  for (const HardwareEvent event : kHardwareEvents) {
    int descriptor = hardware_.open(event, self, facts_.user_mode_only);
    if (!facts_.user_mode_only && (descriptor == -EACCES || descriptor == -EPERM)) {
      const int in_user_mode = hardware_.open(event, self, true);
      if (in_user_mode >= 0) facts_.user_mode_only = true;
      descriptor = in_user_mode;
    }
    if (descriptor >= 0) {
      hardware_.close(descriptor);
      events_.push_back(event);
      continue;
    }
    error = -descriptor;
    missing.emplace_back(name_of(event));
  }
  if (missing.empty()) return;
  facts_.refusal = fmt::format("{} are not counted, because {}", listed(missing), reason_of(error, files_));
}

EventCounting::EventCounting(const EventCounters& counters, std::optional<std::vector<std::uint64_t>> workers)
    : counters_(counters) {
  if (workers) {
    workers_.emplace();
    for (const std::uint64_t id : *workers) workers_->push_back(begin(id));
  }
  consumer_.push_back(begin(this_thread_number()));
}

EventCounting::~EventCounting() {
  const auto close = [&](const std::vector<Thread>& threads) {
    for (const Thread& thread : threads) {
      for (const int descriptor : thread.descriptors) {
        if (descriptor >= 0) counters_.hardware_.close(descriptor);
      }
    }
  };
  if (workers_) close(*workers_);
  close(consumer_);
}

EventCounting::Thread EventCounting::begin(std::uint64_t id) const {
  Thread thread{.id = id, .descriptors = {}, .before = {}, .page_faults = {}, .context_switches = {}};
  thread.page_faults = parse_page_faults(counters_.files_.text(task_file(id, "stat")).value_or(""));
  thread.context_switches = parse_context_switches(counters_.files_.text(task_file(id, "status")).value_or(""));
  for (const HardwareEvent event : counters_.events_) {
    thread.descriptors.push_back(counters_.hardware_.open(event, id, counters_.facts_.user_mode_only));
  }
  for (const int descriptor : thread.descriptors) {
    thread.before.push_back(descriptor >= 0 ? counters_.hardware_.read(descriptor) : std::nullopt);
  }
  return thread;
}

EventCounts EventCounting::end(const std::vector<Thread>& threads) const {
  std::vector<std::optional<double>> hardware(counters_.events_.size(), 0.0);
  EventCounts counts;
  counts.page_faults = counts.context_switches = 0;
  for (const Thread& thread : threads) {
    for (std::size_t i = 0; i < thread.descriptors.size(); ++i) {
      const int descriptor = thread.descriptors[i];
      const auto after = descriptor >= 0 ? counters_.hardware_.read(descriptor) : std::nullopt;
      const auto counted = counted_between(thread.before[i], after);
      hardware[i] = hardware[i] && counted ? std::optional(*hardware[i] + *counted) : std::nullopt;
    }
    add_growth(counts.page_faults, thread.page_faults,
               parse_page_faults(counters_.files_.text(task_file(thread.id, "stat")).value_or("")));
    add_growth(counts.context_switches, thread.context_switches,
               parse_context_switches(counters_.files_.text(task_file(thread.id, "status")).value_or("")));
  }
  for (std::size_t i = 0; i < hardware.size(); ++i) {
    if (!hardware[i]) continue;
    const auto count = static_cast<std::uint64_t>(std::llround(*hardware[i]));
    switch (counters_.events_[i]) {
      case HardwareEvent::kInstructions: counts.instructions = count; break;
      case HardwareEvent::kCycles: counts.cycles = count; break;
      case HardwareEvent::kLlcMisses: counts.llc_misses = count; break;
      case HardwareEvent::kDtlbMisses: counts.dtlb_misses = count; break;
    }
  }
  return counts;
}

TrialCounters EventCounting::finish() {
  TrialCounters counters{.workers = {}, .consumer = end(consumer_)};
  if (workers_) counters.workers = end(*workers_);
  return counters;
}

std::uint64_t this_thread_number() {
  return static_cast<std::uint64_t>(::gettid());
}

std::optional<std::uint64_t> parse_page_faults(std::string_view stat) {
  // minflt and majflt, fields 10 and 12; the second field is a name in brackets, which may contain anything.
  constexpr std::size_t kFirstBehindName = 3;
  const auto bracket = stat.rfind(')');
  if (bracket == std::string_view::npos) return std::nullopt;
  const auto fields = split(trimmed(stat.substr(bracket + 1)), ' ');
  if (fields.size() <= 12 - kFirstBehindName) return std::nullopt;
  const auto minor_faults = parse_whole(fields[10 - kFirstBehindName]);
  const auto major_faults = parse_whole(fields[12 - kFirstBehindName]);
  return minor_faults && major_faults ? std::optional(*minor_faults + *major_faults) : std::nullopt;
}

std::optional<std::uint64_t> parse_context_switches(std::string_view status) {
  const auto voluntary = parse_whole(value_of(status, "voluntary_ctxt_switches").value_or(""));
  const auto forced = parse_whole(value_of(status, "nonvoluntary_ctxt_switches").value_or(""));
  return voluntary && forced ? std::optional(*voluntary + *forced) : std::nullopt;
}

}  // namespace loadline
