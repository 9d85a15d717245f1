// A genuine training step on the CPU, as a compute.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "synthetic/compute/cnn/training_step.h"
#include "synthetic/compute/compute.h"

namespace loadline {

inline constexpr std::array<std::string_view, 4> kNetworkWords{"auto", "lenet", "resnet20", "unet3d"};
inline constexpr std::array<std::string_view, 3> kOptimizerWords{"auto", "sgd", "adam"};

inline constexpr std::array<ComputeParameter, 6> kCnnParameters{{
    {.name = "network",
     .help = "network to train; auto: lenet for one channel, resnet20 for more, unet3d for volumes",
     .standard = 0,
     .least = 0,
     .whole = true,
     .required = false,
     .words = kNetworkWords},
    {.name = "optimizer",
     .help = "update rule; auto: the one that suits the network",
     .standard = 0,
     .least = 0,
     .whole = true,
     .required = false,
     .words = kOptimizerWords},
    {.name = "learning_rate",
     .help = "learning rate; 0: chosen for network, optimizer and batch size",
     .standard = 0,
     .least = 0,
     .whole = false,
     .required = false},
    {.name = "momentum", .help = "of sgd", .standard = 0.9, .least = 0, .whole = false, .required = false, .most = 1},
    {.name = "weight_decay",
     .help = "fraction of each weight to add to its gradient",
     .standard = 0,
     .least = 0,
     .whole = false,
     .required = false},
    {.name = "bucket_bytes",
     .help = "bytes of gradients that the ranks of a run sum at a time; 0: each rank trains alone",
     .standard = 26'214'400,  // of torch.nn.parallel.DistributedDataParallel
     .least = 0,
     .whole = false,
     .required = false},
}};

// The sink trains on every batch, on the caller's thread and others, and keeps no batch.
std::unique_ptr<Trainer> make_cnn_trainer(std::span<const double> values, const ComputeContext& context);
std::unique_ptr<Sink> make_cnn(std::span<const double> values, const ComputeContext& context);
std::size_t cnn_memory_bytes(std::span<const double> values, const StepSetting& setting);

// The options that the values give for such samples. Borrows nothing.
TrainingOptions training_options(std::span<const double> values, const StepSetting& setting);

}  // namespace loadline
