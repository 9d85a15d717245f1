// Events that the CPUs and the kernel count per thread.
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

// Events that the hardware counts.
enum class HardwareEvent : std::uint8_t { kInstructions, kCycles, kLlcMisses, kDtlbMisses };
inline constexpr std::array kHardwareEvents{HardwareEvent::kInstructions, HardwareEvent::kCycles,
                                            HardwareEvent::kLlcMisses, HardwareEvent::kDtlbMisses};

// A counter's state. If there are more events than counters, each event is counted only part of the time.
struct CounterValue {
  std::uint64_t value = 0;
  std::uint64_t wanted_nanoseconds = 0;
  std::uint64_t counted_nanoseconds = 0;
};

// Counts hardware events: the kernel, or a test's stand-in. Any thread.
class HardwareCounters {
 public:
  virtual ~HardwareCounters() = default;

  // Starts counting for a thread of this process. Returns a descriptor, or the error as a negative number.
  virtual int open(HardwareEvent event, std::uint64_t thread, bool user_mode_only) const = 0;
  virtual std::optional<CounterValue> read(int descriptor) const = 0;
  virtual void close(int descriptor) const = 0;
};

// perf_event_open(2).
const HardwareCounters& system_counters();

// Finds out which events can be counted here. Any thread. Borrows the counters.
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

// Counts events of some threads, from construction to finish(). Takes some 20 µs per event and thread, so it must
// stay outside a trial's clock. Use it on one thread, the consumer.
class EventCounting {
 public:
  // `workers`: ids of threads of this process; nullopt: the workers are not known. Borrows the counters.
  EventCounting(const EventCounters& counters, std::optional<std::vector<std::uint64_t>> workers);
  EventCounting(const EventCounting&) = delete;
  EventCounting& operator=(const EventCounting&) = delete;
  ~EventCounting();

  TrialCounters finish();

 private:
  struct Thread {
    std::uint64_t id = 0;
    std::vector<int> descriptors;  // one per countable event; negative: could not be opened
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

// The system's id of the calling thread.
std::uint64_t this_thread_number();

// Minor and major faults, from the text of /proc/PID/task/TID/stat.
std::optional<std::uint64_t> parse_page_faults(std::string_view stat);
// Voluntary and involuntary switches, from the text of /proc/PID/task/TID/status.
std::optional<std::uint64_t> parse_context_switches(std::string_view status);

}  // namespace loadline
