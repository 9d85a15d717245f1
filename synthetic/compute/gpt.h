// A training step of a small language model on the CPU, as a compute.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "synthetic/compute/compute.h"
#include "synthetic/compute/gpt/model.h"

namespace loadline {

inline constexpr std::array<ComputeParameter, 6> kGptParameters{{
    {.name = "layers",
     .help = "blocks of attention and dense layers",
     .standard = 2,
     .least = 1,
     .whole = true,
     .required = false,
     .most = 1000},
    {.name = "width",
     .help = "values per token, a multiple of heads",
     .standard = 64,
     .least = 1,
     .whole = true,
     .required = false,
     .most = 65536},
    {.name = "heads",
     .help = "attention heads, which share the width",
     .standard = 4,
     .least = 1,
     .whole = true,
     .required = false,
     .most = 1024},
    {.name = "vocabulary",
     .help = "number of different tokens; 0: as the workload says",
     .standard = 0,
     .least = 0,
     .whole = true,
     .required = false,
     .most = 1 << 24},
    {.name = "learning_rate", .help = "of Adam", .standard = 0.002, .least = 0, .whole = false, .required = false},
    {.name = "weight_decay",
     .help = "fraction of each weight to add to its gradient",
     .standard = 0,
     .least = 0,
     .whole = false,
     .required = false},
}};

// The sink trains on every batch, on the caller's thread and others, and keeps no batch.
std::unique_ptr<Trainer> make_gpt_trainer(std::span<const double> values, const ComputeContext& context);
std::unique_ptr<Sink> make_gpt(std::span<const double> values, const ComputeContext& context);
std::size_t gpt_memory_bytes(std::span<const double> values, const StepSetting& setting);

// The shape that the values give for such samples. Throws usage Error if the samples are not tokens, or the width is
// not a multiple of the heads.
GptShape gpt_shape(std::span<const double> values, const StepSetting& setting);

}  // namespace loadline
