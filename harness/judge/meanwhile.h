// What a monitor saw of the machine while trials ran. Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <string_view>

#include "harness/result/monitor_record.h"
#include "harness/result/result.h"

namespace loadline {

// The mean of a rate or a share over the timed part of a trial. It sums all series of this name; each sample counts
// for the part of its interval inside that time. std::nullopt where no sample covers half of that time or more, and
// for trials that do not report when their clock started.
std::optional<double> mean_meanwhile(const MonitorRecord& monitor, std::string_view name, const Trial& trial);

// How fast other processes read from the devices of the data during a trial: what the devices read, less what this
// process read. std::nullopt for a trial of several ranks, because a monitor records what one of them read.
std::optional<double> others_read_bytes_per_second(const MonitorRecord& monitor, const Trial& trial);

}  // namespace loadline
