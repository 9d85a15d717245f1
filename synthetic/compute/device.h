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

// What each device gets: whole batches in turn, or a part of every batch (data_parallel.h).
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
                     .help = "bytes of gradients that ranks really sum at a time; 0: emulate the ring's time",
                     .standard = 0,
                     .least = 0,
                     .whole = false,
                     .required = false},
    ComputeParameter{
        .name = "mode",
        .help = "turns: each device gets the next batch; dp: this thread splits each batch among all of them",
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

// The values of the parameters.
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

// Behaves like a training loop on accelerators as seen from the host. consume() launches a copy and a step on the
// device whose turn it is and returns at once, unless the device that gets the next batch then has more than `depth`
// unfinished steps: then it waits until the oldest of them ends. Each device runs its copies in order on one engine
// and its steps on another; a step starts when its copy and the step before have ended. A batch stays with its device
// until its copy has ended. Without overlap consume() waits for the copy before it launches the step.
//
// With gradients, a round (one batch per device) ends for all devices when the gradients are summed. The sum starts
// when the last device has ended its step, and takes all_reduce_seconds().
//
// In a run of several ranks (context.gradients) such a round includes the devices of all ranks: the host waits for
// each round and launches nothing ahead of it. The ranks wait for each other and then for the time of a ring over all
// devices. With buckets they really sum up bytes instead, which become available bucket by bucket over the last two
// thirds of a step, as in a backward pass.
//
// The emulation does not count its own late wake-ups: the host's next action is dated back by the delay, so that the
// measured rate is the requested one. The correction is limited to the timer's own lateness, which is measured when
// the device is made, and to 1 ms: a host that gets its CPU late because other threads hold it is late, as with a
// real device.
std::unique_ptr<Sink> make_device(const DeviceModel& model, const ComputeContext& context);

// The most batches that the devices keep after consume() returns.
std::size_t most_held_batches(const DeviceModel& model);

// Time of an all-reduce in a ring of p = devices x ranks, by the alpha-beta model: 2 (p - 1) messages in sequence,
// each with 1/p of the gradients. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication
// operations in MPICH", Int. J. High Performance Computing Applications 19(1), 2005, has the model and the ring for
// all-gather; P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", J.
// Parallel and Distributed Computing 69(2), 2009, has the ring for all-reduce, and shows that no algorithm moves
// fewer bytes.
double all_reduce_seconds(const DeviceModel& model);

// The steady rate of all devices together, with full batches and a host that takes no time.
double steady_samples_per_second(const DeviceModel& model, std::size_t batch_size, std::size_t batch_bytes);

// The functions of its row in the compute table; `values` are those of kDeviceParameters.
std::unique_ptr<Sink> make_device_of(std::span<const double> values, const ComputeContext& context);
std::size_t device_held_batches(std::span<const double> values);
bool device_launches_ahead(std::span<const double> values);
std::size_t device_memory_bytes(std::span<const double> values, const StepSetting& setting);
double device_samples_per_second(std::span<const double> values, std::size_t batch_size, std::size_t batch_bytes);

}  // namespace loadline
