// A compute that takes the times of a recorded job's steps.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "synthetic/compute/compute.h"
#include "synthetic/compute/host_wait.h"
#include "synthetic/recording/playback.h"

namespace loadline {

inline constexpr std::array kReplayParameters{
    ComputeParameter{.name = "file",
                     .help = "recording of the job, written by `loadline.record`",
                     .standard = 0,
                     .least = 0,
                     .whole = true,
                     .required = true,
                     .text = true},
    ComputeParameter{.name = "busy",
                     .help = "what the host does during a step: sleep, poll the clock, or copy 32 MiB in memory",
                     .standard = 0,
                     .least = 0,
                     .whole = true,
                     .required = false,
                     .words = kBusyWords},
};

// Repeats the recorded steps in order, in an endless loop; a batch with another number of samples takes time in
// proportion. Each step blocks consume() for its recorded time. If the job's accelerator continued after a step
// returned, the real step took longer than the recording shows.
std::unique_ptr<Sink> make_replay(Playback playback, Busy busy, const ComputeContext& context);

// `values` are those of kReplayParameters. Throws Error if the file is not a recording.
std::unique_ptr<Sink> make_replay_of(std::span<const double> values, const ComputeContext& context);
// Throws the same Error, before anything is measured.
std::size_t replay_memory_bytes(std::span<const double> values, const StepSetting& setting);

}  // namespace loadline
