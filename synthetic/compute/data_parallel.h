// Emulates one process that scatters each batch to several devices and gathers their results.
#pragma once

#include <cstddef>
#include <memory>

#include "synthetic/compute/compute.h"
#include "synthetic/compute/device.h"

namespace loadline {

// Behaves like torch.nn.DataParallel as seen from the host. Each consume() is a step of all devices, each with its
// part of the batch: the caller's thread copies the parts to the devices' memory one after another (scatter), copies
// the weights to all devices but the first (replicate), waits for the device with the most samples, and adds up the
// gradients of all (gather). These are real copies and sums in this machine's memory; weights and gradients have
// model.gradient_bytes each. The batch is released once scattered. Uses only samples_per_second, devices,
// gradient_bytes and busy of the model. Ignores `context.gradients`: it steps alone.
std::unique_ptr<Sink> make_data_parallel(const DeviceModel& model, const ComputeContext& context);

// About how many bytes of memory that takes. Throws usage Error if the model has times for work that is really done
// here.
std::size_t data_parallel_bytes(const DeviceModel& model, std::size_t batch_bytes);

}  // namespace loadline
