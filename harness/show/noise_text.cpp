#include "harness/show/noise_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/show/columns.h"

namespace loadline {
namespace {

constexpr std::array kModes{Mode::kIo, Mode::kSynthetic, Mode::kFull};

}  // namespace

std::string noise_text(const NoiseFloor& noise) {
  std::vector<std::string> floors;
  for (const Mode mode : kModes) {
    if (const auto floor = noise.of(mode)) floors.push_back(fmt::format("{} {}", name(mode), plain_percent(*floor)));
  }
  std::vector<Row> rows{{"cell", "difference of two equal sides", "floor"}};
  for (const NoiseFloor::Part& part : noise.parts) {
    rows.push_back({part.cell, percent({part.ratio - 1, Interval{part.ci95.low - 1, part.ci95.high - 1}}),
                    plain_percent(part.floor)});
  }
  return fmt::format("noise floor of {}: {} ({} of {:.3g} s)\n\n{}", noise.hostname.value_or("this host"),
                     fmt::join(floors, ", "), plural(noise.pairs, "pair"), noise.trial_seconds, aligned(rows, {0}));
}

std::string noise_warning(const NoiseFloor& noise) {
  constexpr double kHigh = 0.1;
  std::string text;
  for (const Mode mode : kModes) {
    const auto floor = noise.of(mode);
    if (!floor || *floor <= kHigh) continue;
    text += fmt::format(
        "warning: {} differs from itself by up to {}: smaller changes will not be seen on this host; measure again "
        "when "
        "it is idle, or with more --pairs or longer --trial-seconds\n",
        name(mode), plain_percent(*floor));
  }
  return text;
}

}  // namespace loadline
