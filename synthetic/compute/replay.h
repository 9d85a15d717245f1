// A compute that takes the time of a recorded job's steps.
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
                     .help = "what `loadline.record` wrote of the job",
                     .standard = 0,
                     .least = 0,
                     .whole = true,
                     .required = true,
                     .text = true},
    ComputeParameter{.name = "busy",
                     .help = "what the host does during a step: sleep, look at the clock, or copy 32 MiB in memory",
                     .standard = 0,
                     .least = 0,
                     .whole = true,
                     .required = false,
                     .words = kBusyWords},
};

// Of the first step on, in their order and around again; a batch of other than the recorded samples takes time in
// proportion. Each step blocks consume() for its time, as it did in the job, whose accelerator may have gone on behind
// it: then the job's own steps took longer than is known.
std::unique_ptr<Sink> make_replay(Playback playback, Busy busy, const ComputeContext& context);

// Of kReplayParameters. Throws Error where the file is no recording.
std::unique_ptr<Sink> make_replay_of(std::span<const double> values, const ComputeContext& context);
// Throws that too, before anything is measured.
std::size_t replay_memory_bytes(std::span<const double> values, const StepSetting& setting);

}  // namespace loadline
