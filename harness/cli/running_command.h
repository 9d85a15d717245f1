// What stops a command that measures, and the time and CPU that it takes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "harness/cli/interrupt.h"
#include "harness/cli/rank_session.h"
#include "harness/measure/meter.h"
#include "harness/result/result.h"
#include "loaders/system/affinity.h"
#include "synthetic/clock.h"

namespace loadline {

// Who may stop the command, and what time and CPU it has taken.
class RunningCommand {
 public:
  // Borrows `ranks`; null: a single process, which then handles signals itself.
  explicit RunningCommand(RankSession* ranks);

  // The one that stopped it; 0: none.
  int signal() const;
  std::stop_token stop() const;
  std::uint64_t times_resumed() const;
  Clock& clock() { return clock_; }

  // By the clock of the trials: the wall clock may have been set meanwhile, and a run must not end before it begins.
  std::string utc_now() const;
  // Trials restart the peak: `peak_rss_bytes` is the peak before the last one began.
  RunUsage used(std::uint64_t peak_rss_bytes) const;

 private:
  RankSession* const ranks_;
  std::optional<Interrupt> own_interrupt_;  // of a single process
  SteadyClock clock_;
  const Time began_ = clock_.now();
  const std::chrono::system_clock::time_point began_at_ = std::chrono::system_clock::now();
  const UsageMeter meter_{affinity_cpus()};
  const UsageReading used_before_ = meter_.now();
};

}  // namespace loadline
