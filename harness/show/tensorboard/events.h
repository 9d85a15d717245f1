// The events of TensorBoard's files, each as a record of the file. Pure functions. If loadline was built without
// protobuf, they throw Error that says how to get it.
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

// How to get event files; empty if this build writes them.
std::string_view why_no_tensorboard();

struct Scalar {
  std::string tag;
  double value = 0;
};

using HparamValue = std::variant<bool, double, std::string>;
using Hparams = std::vector<std::pair<std::string, HparamValue>>;  // by name, sorted

enum class HparamType : std::uint8_t { kText, kBool, kNumber };

// The columns of TensorBoard's table of hyperparameters.
struct HparamsExperiment {
  std::string description;
  std::vector<std::pair<std::string, HparamType>> parameters;
  std::vector<std::pair<std::string, std::string>> metrics;  // tag and label
};

enum class SessionEnd : std::uint8_t { kUnknown, kSuccess, kFailure };

// Times are seconds since 1970, UTC.

// The beginning of a file.
std::string first_event(double time);
// Values of one step, without those that are not finite; empty if none is left.
std::string scalars_event(double time, std::int64_t step, std::span<const Scalar> scalars);
std::string experiment_event(double time, const HparamsExperiment& experiment);
std::string session_start_event(double time, const Hparams& hparams);
std::string session_end_event(double time, SessionEnd end);

}  // namespace loadline
