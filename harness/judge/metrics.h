// The figures of a trial by which two results can be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

enum class Unit : std::uint8_t { kPerSecond, kSeconds, kBytes, kJoules };

struct Metric {
  std::string_view name;  // as given to --metric
  std::string_view summary;
  Unit unit;
  bool higher_is_better;
  std::string_view better;  // word for a change for the better: "faster"
  std::string_view worse;
  std::string_view scale;               // "2 times as fast"
  double (*value)(const Trial& trial);  // NaN where the trial does not have it
  std::optional<Mode> mode = {};        // nullopt: trials of every mode are compared
};

// The first is the default.
std::span<const Metric> metrics();

// By name; throws usage Error that mentions --metric and the nearest name.
const Metric& metric_named(std::string_view name);

}  // namespace loadline
