#include "harness/judge/trend.h"

#include <cmath>
#include <vector>

#include "loaders/error.h"

namespace loadline {

std::optional<Trend> trend_of(std::span<const double> rates) {
  constexpr std::size_t kFewest = 3;
  if (rates.size() < kFewest) return std::nullopt;
  const auto count = static_cast<double>(rates.size());
  const double middle = (count - 1) / 2;
  double sum = 0;
  double products = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (!(rates[i] > 0) || !std::isfinite(rates[i])) throw Error("trend: want rates above 0");
    const double log = std::log(rates[i]);
    sum += log;
    products += (static_cast<double>(i) - middle) * log;
  }
  const double squares = count * (count * count - 1) / 12;  // of the distances of 0, 1, ... from their middle
  const double slope = products / squares;
  double residual = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double off = std::log(rates[i]) - sum / count - slope * (static_cast<double>(i) - middle);
    residual += off * off;
  }
  const VarianceTerm error{.variance = residual / (count - 2) / squares, .degrees = count - 2};
  return Trend{.count = rates.size(),
               .per_step = ratio_of({.value = slope, .error = error, .variance_of_one = std::nullopt})};
}

}  // namespace loadline
