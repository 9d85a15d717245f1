#include "harness/monitor/counters.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>

#include "tests/harness/machine/fake_system.h"

namespace loadline {
namespace {

// Between two looks, event i of each thread grows by 100 * (i + 1).
class ScriptedCounters final : public HardwareCounters {
 public:
  int error = 0;              // for every event in every mode
  int error_with_kernel = 0;  // for every event, unless in user mode only
  int error_of_dtlb = 0;
  std::uint64_t counted_part = 1;  // the events are counted during 1 / counted_part of the time
  mutable std::map<int, int> looks;
  mutable int opened = 0;
  mutable int closed = 0;

  int open(HardwareEvent event, std::uint64_t thread, bool user_mode_only) const override {
    if (error != 0) return -error;
    if (error_with_kernel != 0 && !user_mode_only) return -error_with_kernel;
    if (error_of_dtlb != 0 && event == HardwareEvent::kDtlbMisses) return -error_of_dtlb;
    if (thread == 404) return -ESRCH;
    ++opened;
    return 10 * opened + static_cast<int>(event);
  }
  std::optional<CounterValue> read(int descriptor) const override {
    const auto look = static_cast<std::uint64_t>(looks[descriptor]++);
    const auto event = static_cast<std::uint64_t>(descriptor % 10);
    return CounterValue{.value = 5 + look * 100 * (event + 1),
                        .wanted_nanoseconds = 1000 * look,
                        .counted_nanoseconds = 1000 * look / counted_part};
  }
  void close(int /*descriptor*/) const override { ++closed; }
};

TEST(EventCounters, CountWorkersTogetherAndTheConsumerSeparately) {
  const ScriptedCounters hardware;
  const FakeSystem system;
  const EventCounters counters(hardware, system.files());
  EXPECT_EQ(counters.facts().refusal, std::nullopt);
  EXPECT_FALSE(counters.facts().user_mode_only);
  {
    EventCounting counting(counters, std::vector<std::uint64_t>{11, 12, 13});
    const TrialCounters counts = counting.finish();
    ASSERT_TRUE(counts.workers.has_value());
    EXPECT_EQ(counts.workers->instructions, 300U);
    EXPECT_EQ(counts.workers->cycles, 600U);
    EXPECT_EQ(counts.workers->llc_misses, 900U);
    EXPECT_EQ(counts.workers->dtlb_misses, 1200U);
    EXPECT_EQ(counts.consumer.instructions, 100U);
    EXPECT_EQ(counts.consumer.page_faults, std::nullopt);
  }
  EXPECT_EQ(hardware.closed, hardware.opened);
}

TEST(EventCounters, ExtrapolateFromThePartOfTheTimeThatWasCounted) {
  ScriptedCounters hardware;
  hardware.counted_part = 4;
  const FakeSystem system;
  const EventCounters counters(hardware, system.files());
  EXPECT_EQ(EventCounting(counters, std::nullopt).finish().consumer.instructions, 400U);
}

TEST(EventCounters, DoNotKnowWhatWorkersDoIfTheyAreUnknownOrOneHasEnded) {
  const ScriptedCounters hardware;
  const FakeSystem system;
  const EventCounters counters(hardware, system.files());
  EXPECT_EQ(EventCounting(counters, std::nullopt).finish().workers, std::nullopt);
  const TrialCounters counts = EventCounting(counters, std::vector<std::uint64_t>{11, 404}).finish();
  ASSERT_TRUE(counts.workers.has_value());
  EXPECT_EQ(counts.workers->instructions, std::nullopt);
  EXPECT_EQ(counts.consumer.instructions, 100U);
}

TEST(EventCounters, CountOnlyUserModeIfTheKernelsEventsAreForbidden) {
  ScriptedCounters hardware;
  hardware.error_with_kernel = EACCES;
  const FakeSystem system;
  const EventCounters counters(hardware, system.files());
  EXPECT_TRUE(counters.facts().user_mode_only);
  EXPECT_EQ(counters.facts().refusal, std::nullopt);
  EXPECT_EQ(EventCounting(counters, std::nullopt).finish().consumer.cycles, 200U);
}

std::string refusal(int error, const FakeSystem& system) {
  ScriptedCounters hardware;
  hardware.error = error;
  return EventCounters(hardware, system.files()).facts().refusal.value_or("");
}

TEST(EventCounters, SayWhyTheSystemRefuses) {
  const std::string what = "instructions, cycles, last-level cache misses and dTLB misses are not counted, because ";
  FakeSystem system;
  system.write("/proc/sys/kernel/perf_event_paranoid", "3\n");
  EXPECT_EQ(
      refusal(EACCES, system),
      what + "the system does not let this process count them (kernel.perf_event_paranoid is 3; 2 or less would)");
  system.write("/proc/sys/kernel/perf_event_paranoid", "2\n");
  EXPECT_EQ(refusal(EPERM, system),
            what + "the system does not let this process count them, possibly because of a container's seccomp filter");
  EXPECT_EQ(refusal(ENOENT, system),
            what + "this machine offers no hardware counters for them, as is usual for virtual machines");
  EXPECT_EQ(refusal(ENOSYS, system), what + "the kernel, or a seccomp filter, does not offer perf_event_open");
}

TEST(EventCounters, DoWithoutAnEventThatTheHardwareLacks) {
  ScriptedCounters hardware;
  hardware.error_of_dtlb = ENOENT;
  const FakeSystem system;
  const EventCounters counters(hardware, system.files());
  EXPECT_EQ(counters.facts().refusal,
            "dTLB misses are not counted, because this machine offers no hardware counters for them, as is usual for "
            "virtual machines");
  const EventCounts counts = EventCounting(counters, std::nullopt).finish().consumer;
  EXPECT_EQ(counts.llc_misses, 300U);
  EXPECT_EQ(counts.dtlb_misses, std::nullopt);
}

TEST(EventCounters, ReadFaultsAndSwitchesFromTheKernelsFilesWhateverElseIsRefused) {
  EXPECT_EQ(parse_page_faults("7 (a b) c) S 1 2 3 4 5 6 100 0 20 0 5 5"), 120U);
  EXPECT_EQ(parse_page_faults("7 (x) S 1 2"), std::nullopt);
  EXPECT_EQ(parse_context_switches("Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t30\n"), 42U);
  EXPECT_EQ(parse_context_switches(""), std::nullopt);

  FakeSystem system;
  const auto write = [&](const char* faults, const char* switches) {
    system.write("/proc/self/task/11/stat", std::string("11 (w) S 1 2 3 4 5 6 ") + faults + " 0 0 0 5 5")
        .write("/proc/self/task/11/status",
               std::string("voluntary_ctxt_switches:\t") + switches + "\nnonvoluntary_ctxt_switches:\t0\n");
  };
  write("100", "7");
  ScriptedCounters hardware;
  hardware.error = EACCES;
  const EventCounters counters(hardware, system.files());
  EventCounting counting(counters, std::vector<std::uint64_t>{11});
  write("150", "10");
  const TrialCounters counts = counting.finish();
  ASSERT_TRUE(counts.workers.has_value());
  EXPECT_EQ(counts.workers->page_faults, 50U);
  EXPECT_EQ(counts.workers->context_switches, 3U);
  EXPECT_EQ(counts.workers->instructions, std::nullopt);
}

TEST(EventCounters, CountThisThreadAsFarAsTheSystemAllows) {
  const EventCounters counters;
  const EventCounts counts = EventCounting(counters, std::nullopt).finish().consumer;
  EXPECT_TRUE(counts.page_faults.has_value());
  EXPECT_TRUE(counts.context_switches.has_value());
  EXPECT_EQ(counts.instructions.has_value(),
            counters.facts().refusal.value_or("").find("instructions") == std::string::npos);
}

}  // namespace
}  // namespace loadline
