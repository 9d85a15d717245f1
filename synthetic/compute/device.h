// Accelerators, emulated by their timelines.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "synthetic/compute/compute.h"
#include "synthetic/compute/device_profiles.h"
#include "synthetic/compute/host_wait.h"

namespace loadline {

inline constexpr std::array<std::string_view, 2> kOverlapWords{"on", "off"};

// Which device gets what: whole batches by turns, or each its part of every batch (data_parallel.h).
inline constexpr std::array<std::string_view, 2> kDeviceModeWords{"turns", "dp"};

inline constexpr std::array kDeviceParameters{
    ComputeParameter{.name = "samples_per_second",
                     .help = "rate of the training step on one device, samples/s",
                     .standard = 0,
                     .least = 1e-3,
                     .whole = false,
                     .required = true,
                     .stand_in = "profile"},
    ComputeParameter{.name = "profile",
                     .help = "a known accelerator, instead of samples_per_second",
                     .standard = 0,
                     .least = 0,
                     .whole = true,
                     .required = false,
                     .words = kDeviceProfileWords},
    ComputeParameter{.name = "copy_bytes_per_second",
                     .help = "rate of each device's host-to-device copy, bytes/s; 0: bytes take no time",
                     .standard = 0,
                     .least = 0,
                     .whole = false,
                     .required = false},
    ComputeParameter{.name = "copy_latency_seconds",
                     .help = "fixed time of a copy, seconds; 0 and no rate: no copy",
                     .standard = 0,
                     .least = 0,
                     .whole = false,
                     .required = false},
    ComputeParameter{.name = "overlap",
                     .help = "whether copies overlap steps; off: the host waits for each, as without pinned memory",
                     .standard = 0,
                     .least = 0,
                     .whole = true,
                     .required = false,
                     .words = kOverlapWords},
    ComputeParameter{.name = "depth",
                     .help = "steps launched ahead of the running one; 0: each call waits for its own step",
                     .standard = 2,
                     .least = 0,
                     .whole = true,
                     .required = false,
                     .most = 4096},
    ComputeParameter{.name = "devices",
                     .help = "devices of this process, which receive batches in turn",
                     .standard = 1,
                     .least = 1,
                     .whole = true,
                     .required = false,
                     .most = 64},
    ComputeParameter{.name = "gradient_bytes",
                     .help = "bytes of gradients that all devices of all processes sum after each step; 0: no summing",
                     .standard = 0,
                     .least = 0,
                     .whole = false,
                     .required = false},
    ComputeParameter{.name = "reduce_bytes_per_second",
                     .help = "rate at which a device sends to the next in the ring, bytes/s; 0: bytes take no time",
                     .standard = 0,
                     .least = 0,
                     .whole = false,
                     .required = false},
    ComputeParameter{.name = "reduce_latency_seconds",
                     .help = "fixed time of each message in the ring, seconds",
                     .standard = 0,
                     .least = 0,
                     .whole = false,
                     .required = false},
    ComputeParameter{.name = "ranks",
                     .help = "processes that sum their gradients, each with as many devices",
                     .standard = 1,
                     .least = 1,
                     .whole = true,
                     .required = false,
                     .most = 1e6},
    ComputeParameter{.name = "bucket_bytes",
                     .help = "gradients that the ranks of a run sum up at a time, really, bytes; 0: in the ring's time",
                     .standard = 0,
                     .least = 0,
                     .whole = false,
                     .required = false},
    ComputeParameter{.name = "mode",
                     .help = "turns: each device gets the next batch; dp: this thread deals each batch to all of them",
                     .standard = 0,
                     .least = 0,
                     .whole = true,
                     .required = false,
                     .words = kDeviceModeWords},
    ComputeParameter{.name = "busy",
                     .help = "what the host does while it waits: sleep, poll the clock, or copy 32 MiB in memory",
                     .standard = 0,
                     .least = 0,
                     .whole = true,
                     .required = false,
                     .words = kBusyWords},
};

// What the parameters say.
struct DeviceModel {
  double samples_per_second = 0;  // of one device
  double copy_bytes_per_second = 0;
  double copy_latency_seconds = 0;
  bool overlap = true;
  std::size_t depth = 2;
  std::size_t devices = 1;
  double gradient_bytes = 0;
  double reduce_bytes_per_second = 0;
  double reduce_latency_seconds = 0;
  std::size_t ranks = 1;
  double bucket_bytes = 0;
  bool deals_batches = false;  // mode=dp
  Busy busy = Busy::kNone;

  bool copies() const { return copy_bytes_per_second > 0 || copy_latency_seconds > 0; }
  bool reduces() const { return gradient_bytes > 0; }
};

DeviceModel device_model(std::span<const double> values);  // as kDeviceParameters

// Behaves as a training loop on accelerators does when seen from the host. consume() launches a copy and a step on the
// device whose turn it is and returns at once, unless the device that gets the next batch then has more than `depth`
// unfinished steps, in which case it waits until the oldest of them ends. Copies of a device follow each other on one
// engine, steps on another; a step starts when its copy and the step before have ended. A batch stays with its device
// until its copy has ended. Without overlap consume() waits for the copy before it launches the step.
//
// With gradients a round, a batch for each device, ends for all of them when they are summed up, which starts when the
// last of them has ended its step and takes all_reduce_seconds().
//
// In a run of several ranks (context.gradients) such a round ends for the devices of all of them, so that the host
// waits for each, and launches nothing ahead of it. They wait for each other, and then for the time of a ring over all
// of them; or, with buckets, for bytes that they really sum up, which are known one bucket after the other over the
// last two thirds of a step, as a backward pass has it.
//
// No time is counted for the emulation's own waits ending late: what the host does next is dated back by the delay, so
// that the rate asked for is the rate measured. It is dated back by no more than the timer's own lateness, which is
// measured when the device is made, and by 1 ms at the most: a host that gets its CPU late because other threads have
// it is late, as it would be before a real device.
std::unique_ptr<Sink> make_device(const DeviceModel& model, const ComputeContext& context);

// How many batches the devices keep, at the most, when consume() has returned.
std::size_t most_held_batches(const DeviceModel& model);

// Of an all-reduce in a ring of p = devices x ranks, by the alpha-beta model: 2 (p - 1) messages one after the other,
// each of a p-th of the gradients. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication
// operations in MPICH", Int. J. High Performance Computing Applications 19(1), 2005, has the model and the ring for
// all-gather; P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", J.
// Parallel and Distributed Computing 69(2), 2009, has the ring for all-reduce, and that no algorithm moves fewer bytes.
double all_reduce_seconds(const DeviceModel& model);

// Of all devices together, in the steady state, with full batches and a host that takes no time of its own.
double steady_samples_per_second(const DeviceModel& model, std::size_t batch_size, std::size_t batch_bytes);

// The rows of the table of computes, for `values` as kDeviceParameters.
std::unique_ptr<Sink> make_device_of(std::span<const double> values, const ComputeContext& context);
std::size_t device_held_batches(std::span<const double> values);
std::size_t device_memory_bytes(std::span<const double> values, const StepSetting& setting);
double device_samples_per_second(std::span<const double> values, std::size_t batch_size, std::size_t batch_bytes);

}  // namespace loadline
