// Events that the CPUs and the kernel count for single threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/machine/system_files.h"
#include "harness/result/trial_readings.h"

namespace loadline {

// Those that the hardware counts.
enum class HardwareEvent : std::uint8_t { kInstructions, kCycles, kLlcMisses, kDtlbMisses };
inline constexpr std::array kHardwareEvents{HardwareEvent::kInstructions, HardwareEvent::kCycles,
                                            HardwareEvent::kLlcMisses, HardwareEvent::kDtlbMisses};

// A counter's state: where there are more events than counters, each is counted for a part of the time.
struct CounterValue {
  std::uint64_t value = 0;
  std::uint64_t wanted_nanoseconds = 0;
  std::uint64_t counted_nanoseconds = 0;
};

// Who counts the hardware's events: the kernel, or a test. Any thread.
class HardwareCounters {
 public:
  virtual ~HardwareCounters() = default;

  // Begins to count for a thread of this process. Returns a descriptor, or the error as a number below 0.
  virtual int open(HardwareEvent event, std::uint64_t thread, bool user_mode_only) const = 0;
  virtual std::optional<CounterValue> read(int descriptor) const = 0;
  virtual void close(int descriptor) const = 0;
};

// perf_event_open(2).
const HardwareCounters& system_counters();

// Finds out what can be counted here. Any thread. Borrows the counters.
class EventCounters {
 public:
  explicit EventCounters(const HardwareCounters& hardware = system_counters(), SystemFiles files = SystemFiles());

  const CounterFacts& facts() const { return facts_; }

 private:
  friend class EventCounting;

  const HardwareCounters& hardware_;
  SystemFiles files_;
  std::vector<HardwareEvent> events_;  // that can be counted
  CounterFacts facts_;
};

// Counts for some threads, from its making to finish(). Takes some 20 µs an event and a thread: stands outside the
// clock of a trial. One thread, which is the consumer.
class EventCounting {
 public:
  // `workers`: ids of threads of this process; none: it is not known who works. Borrows the counters.
  EventCounting(const EventCounters& counters, std::optional<std::vector<std::uint64_t>> workers);
  EventCounting(const EventCounting&) = delete;
  EventCounting& operator=(const EventCounting&) = delete;
  ~EventCounting();

  TrialCounters finish();

 private:
  struct Thread {
    std::uint64_t id = 0;
    std::vector<int> descriptors;  // as the events that can be counted; below 0: this one cannot
    std::vector<std::optional<CounterValue>> before;
    std::optional<std::uint64_t> page_faults;
    std::optional<std::uint64_t> context_switches;
  };

  Thread begin(std::uint64_t id) const;
  EventCounts end(const std::vector<Thread>& threads) const;

  const EventCounters& counters_;
  std::optional<std::vector<Thread>> workers_;
  std::vector<Thread> consumer_;
};

// The system's number of the calling thread.
std::uint64_t this_thread_number();

// Both kinds of faults, of the text of /proc/PID/task/TID/stat.
std::optional<std::uint64_t> parse_page_faults(std::string_view stat);
// Voluntary or not, of the text of /proc/PID/task/TID/status.
std::optional<std::uint64_t> parse_context_switches(std::string_view status);

}  // namespace loadline
