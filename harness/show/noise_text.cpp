#include "harness/show/noise_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/machine/machine.h"
#include "harness/show/columns.h"

namespace loadline {
namespace {

constexpr std::array kTimedModes{Mode::kIo, Mode::kSynthetic, Mode::kFull};

// "2 CPUs, kernel 6.1.0, governor performance, boost on, load 0.12 before".
std::string machine_text(const NoiseFloor& noise) {
  const Machine& machine = noise.machine;
  const double cpus = cpus_in_force(machine);
  std::vector<std::string> texts{fmt::format("{:.4g} CPU{}", cpus, cpus == 1 ? "" : "s")};
  if (machine.kernel_release) texts.push_back("kernel " + *machine.kernel_release);
  if (machine.cpu_governor) texts.push_back("governor " + *machine.cpu_governor);
  if (noise.boost) texts.push_back(*noise.boost ? "boost on" : "boost off");
  if (machine.load_average_1_minute) texts.push_back(fmt::format("load {:.2f} before", *machine.load_average_1_minute));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string noise_text(const NoiseFloor& noise, std::size_t width) {
  std::vector<std::string> floors;
  for (const Mode mode : kTimedModes) {
    if (const auto floor = noise.of(mode)) floors.push_back(fmt::format("{} {}", name(mode), plain_percent(*floor)));
  }
  std::vector<Row> rows{{"cell", "cache", "trial", "spread of two runs", "floor"}};
  for (const NoiseFloor::Part& part : noise.parts) {
    rows.push_back({part.cell, std::string(uses_loader(part.mode) ? name(part.cache) : "-"),
                    duration(part.trial_seconds), plain_percent(part.spread()), plain_percent(part.floor())});
  }
  const TableShape shape{.left = {0, 1}, .constant = {"cache", "trial"}, .expendable = {"spread of two runs"}};
  return fmt::format(
      "noise floor of {}: {} ({} of runs of {})\n\n{}floor: 19 in 20 further pairs of such runs differ by no more than "
      "this\n"
      "measured on {}\n",
      noise.machine.hostname.value_or("this host"), fmt::join(floors, ", "), plural(noise.pairs, "pair"),
      plural(noise.trials, "trial"), fitted(rows, shape, width), machine_text(noise));
}

std::string noise_warning(const NoiseFloor& noise) {
  constexpr double kHigh = 0.1;
  std::string text;
  for (const Mode mode : kTimedModes) {
    const auto floor = noise.of(mode);
    if (!floor || *floor <= kHigh) continue;
    text += fmt::format(
        "warning: two identical runs differ by up to {} in {}: smaller changes will go unnoticed on this host; measure "
        "again when it is idle, or with more --trials or longer --trial-seconds\n",
        plain_percent(*floor), name(mode));
  }
  return text;
}

}  // namespace loadline
