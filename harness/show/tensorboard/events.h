// The events of TensorBoard's files, each as the record that stands in the file. Pure functions. Where loadline was
// built without protobuf they throw Error that says how to get it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace loadline {

// How to get them; empty where this build writes them.
std::string_view why_no_tensorboard();

struct Scalar {
  std::string tag;
  double value = 0;
};

using HparamValue = std::variant<bool, double, std::string>;
using Hparams = std::vector<std::pair<std::string, HparamValue>>;  // by name, in the order of the names

enum class HparamType : std::uint8_t { kText, kBool, kNumber };

// What TensorBoard's table of hyperparameters has columns for.
struct HparamsExperiment {
  std::string description;
  std::vector<std::pair<std::string, HparamType>> parameters;
  std::vector<std::pair<std::string, std::string>> metrics;  // tag, and what to call it
};

enum class SessionEnd : std::uint8_t { kUnknown, kSuccess, kFailure };

// Times are seconds since 1970, UTC.

// What a file begins with.
std::string first_event(double time);
// Values of one step; those that are not finite are left out, and nothing is written where none is left.
std::string scalars_event(double time, std::int64_t step, std::span<const Scalar> scalars);
std::string experiment_event(double time, const HparamsExperiment& experiment);
std::string session_start_event(double time, const Hparams& hparams);
std::string session_end_event(double time, SessionEnd end);

}  // namespace loadline
