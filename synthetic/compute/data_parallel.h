// One process that deals each batch to several emulated devices, and gathers what they made of it.
#pragma once

#include <cstddef>
#include <memory>

#include "synthetic/compute/compute.h"
#include "synthetic/compute/device.h"

namespace loadline {

// Behaves as torch.nn.DataParallel does when seen from the host. Each consume() is a step of all devices, each of which
// has its part of the batch: the caller's thread copies the parts to memory of the devices one after the other
// (scatter), the weights to all devices but the first (replicate), waits for the device that has most samples, and adds
// up the gradients of all (gather). These are real copies and sums of real bytes in this machine's memory, weights and
// gradients having model.gradient_bytes each. A batch is given up when it is scattered. Of the model it heeds
// samples_per_second, devices, gradient_bytes and busy. With `context.gradients` it steps alone all the same.
std::unique_ptr<Sink> make_data_parallel(const DeviceModel& model, const ComputeContext& context);

// About what that takes. Throws usage Error where the model has times for what is really done.
std::size_t data_parallel_bytes(const DeviceModel& model, std::size_t batch_bytes);

}  // namespace loadline
