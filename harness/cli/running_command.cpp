#include "harness/cli/running_command.h"

#include <algorithm>

#include "harness/machine/run_id.h"

namespace loadline {

RunningCommand::RunningCommand(RankSession* ranks) : ranks_(ranks) {
  if (ranks == nullptr) own_interrupt_.emplace();
}

int RunningCommand::signal() const {
  return ranks_ == nullptr ? own_interrupt_->signal() : ranks_->ranks().signal();
}

std::stop_token RunningCommand::stop() const {
  return ranks_ == nullptr ? own_interrupt_->token() : ranks_->ranks().stop_token();
}

std::uint64_t RunningCommand::times_resumed() const {
  return (ranks_ == nullptr ? *own_interrupt_ : ranks_->interrupt()).times_resumed();
}

std::string RunningCommand::utc_now() const {
  return utc_timestamp(began_at_ + (clock_.now() - began_));
}

RunUsage RunningCommand::used(std::uint64_t peak_rss_bytes) const {
  Usage used = difference(meter_.now(), used_before_);
  // The delays of threads that have ended are lost, so the delays of the whole process are not known.
  used.run_delay_seconds.reset();
  used.blocked_io_seconds.reset();
  if (used.peak_rss_bytes) used.peak_rss_bytes = std::max(*used.peak_rss_bytes, peak_rss_bytes);
  return {.wall_seconds = seconds(clock_.now() - began_), .usage = used};
}

}  // namespace loadline
