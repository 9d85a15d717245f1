#include "harness/judge/filling.h"

#include <utility>

#include "harness/judge/judgement.h"
#include "harness/judge/statistics.h"

namespace loadline {
namespace {

std::vector<double> rates_of_any(const CellResult* cell) {
  return cell == nullptr ? std::vector<double>() : rates_of(*cell);
}

double mean_of(const std::vector<double>& rates) {
  return rates.empty() ? 0 : summarize(rates).mean;
}

}  // namespace

Filling filling_of(const CellResult* io, const CellResult* full) {
  Filling filling;
  if (io != nullptr) {
    for (const Trial& trial : io->trials) {
      const bool told = trial.fill && trial.fill->samples > 0;
      if (told && !trial.pilot) filling.rates.push_back(trial.fill->samples_per_second());
    }
  }
  filling.measured = !filling.rates.empty();
  if (filling.measured) return filling;
  std::vector<double> of_io = rates_of_any(io);
  std::vector<double> of_full = rates_of_any(full);
  filling.rates = mean_of(of_full) > mean_of(of_io) ? std::move(of_full) : std::move(of_io);
  return filling;
}

}  // namespace loadline
