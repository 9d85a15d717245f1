// An accelerator, emulated by its timeline.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "synthetic/compute/compute.h"

namespace loadline {

inline constexpr std::array<ComputeParameter, 3> kDeviceParameters{{
    {.name = "samples_per_second",
     .help = "rate of the training step, samples/s",
     .standard = 0,
     .least = 1e-3,
     .whole = false,
     .required = true},
    {.name = "copy_bytes_per_second",
     .help = "rate of the host-to-device copy, bytes/s; 0: no copy",
     .standard = 0,
     .least = 0,
     .whole = false,
     .required = false},
    {.name = "depth",
     .help = "steps launched ahead of the one that runs; 0: each call waits for its own step",
     .standard = 2,
     .least = 0,
     .whole = true,
     .required = false,
     .most = 4096},
}};

// Behaves as a training loop on an accelerator does when seen from the host: consume() launches a copy and a step and
// returns at once, unless more than `depth` steps are then unfinished, in which case it sleeps until the oldest of them
// ends. Copies follow each other on one engine, steps on another; a step starts when its copy and the step before have
// ended. A batch stays with the device until its copy has ended.
//
// No time is counted for the emulation's own sleeps ending late: the next launch is dated back by the delay (by 1 ms at
// the most), so that the rate asked for is the rate measured.
std::unique_ptr<Sink> make_device(std::span<const double> values, const ComputeContext& context);
std::size_t device_held_batches(std::span<const double> values);

}  // namespace loadline
