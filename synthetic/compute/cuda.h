// A training step on a GPU, by CUDA and cuBLAS.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "synthetic/compute/compute.h"

namespace loadline {

inline constexpr std::array<std::string_view, 1> kCudaNetworks{"mlp"};
inline constexpr std::array<std::string_view, 2> kCudaStagings{"registered", "copied"};
inline constexpr std::array<std::string_view, 2> kCudaGraphs{"off", "on"};

inline constexpr std::array<ComputeParameter, 4> kCudaParameters{{
    {.name = "network",
     .help = "network to train: mlp, from the values of a sample to 512, 512 and the classes",
     .standard = 0,
     .least = 0,
     .whole = true,
     .required = false,
     .words = kCudaNetworks},
    {.name = "staging",
     .help = "how a batch reaches the GPU: registered, directly from its slot; copied, through pinned memory",
     .standard = 0,
     .least = 0,
     .whole = true,
     .required = false,
     .words = kCudaStagings},
    {.name = "graph",
     .help = "on: capture the step of a full batch once and launch it as one CUDA graph",
     .standard = 0,
     .least = 0,
     .whole = true,
     .required = false,
     .words = kCudaGraphs},
    {.name = "depth",
     .help = "steps launched ahead of the running one; 0: each call waits for its own step",
     .standard = 2,
     .least = 0,
     .whole = true,
     .required = false,
     .most = 64},
}};

// Trains a network on the first GPU that the process sees (CUDA_VISIBLE_DEVICES chooses): forward, softmax
// cross-entropy on the labels, backward, and stochastic gradient descent with momentum. consume() launches the copy
// of the batch on one stream and its step on another and returns, unless more than `depth` steps are then unfinished,
// in which case it sleeps until the oldest of them ends. Nothing ends that sleep early; it lasts at most one step.
//
// Precision f32 is true f32, not TF32; bf16 multiplies in bf16 and keeps sums, gradients of the weights and the
// weights themselves in f32. With fusion, bias and ReLU take one pass, and their gradients another.
//
// A registered batch is pinned in place the first time it comes, and stays with the sink until its copy has ended:
// its pool's memory must outlive the sink. A copied batch is returned at once.
//
// Its stages divide the time of consume(): copies made by consume() itself count as copy; the rest is divided in
// proportion to the times of GPU events. A copy hidden behind the previous step counts as 0.
//
// If the loss of a step is not finite, consume() notices after it has waited for that step, `depth` calls later, and
// throws Error naming its epoch and batch. The last `depth` steps before the sink is destroyed are not checked.
//
// Throws Error if there is no GPU, if it has too little memory, or if cuBLAS, which is first loaded here, cannot be
// loaded.
std::unique_ptr<Sink> make_cuda(std::span<const double> values, const ComputeContext& context);
std::size_t cuda_held_batches(std::span<const double> values);
bool cuda_launches_ahead(std::span<const double> values);
// Memory of the host. Throws usage Error for samples whose target is more than a label.
std::size_t cuda_memory_bytes(std::span<const double> values, const StepSetting& setting);

}  // namespace loadline
