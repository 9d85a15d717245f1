#include "harness/judge/scaling.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

// A law with more terms must lower the mean square by more than this, a residual of 1e-12; otherwise its terms are
// rounding.
constexpr double kNoImprovement = 1e-24;

void require_measured(const ScalingPoint& point) {
  if (point.workers == 0) throw Error("worker curve: want at least one worker, got 0");
  for (const double value : {point.samples_per_second, point.weight})
    if (!(value > 0) || !std::isfinite(value))
      throw Error(fmt::format("worker curve: want positive finite rates and weights, got {} at {} workers", value,
                              point.workers));
}

// Points by ascending workers, in units of their highest rate and weight: the square of neither exceeds a double.
struct Measurements {
  std::vector<ScalingPoint> points;
  double unit;  // of the rates: samples per second
};

// Empty for fewer than three different counts.
std::optional<Measurements> curve_of(std::span<const ScalingPoint> points) {
  std::set<std::size_t> counts;
  double rate = 0;
  double weight = 0;
  for (const ScalingPoint& point : points) {
    require_measured(point);
    counts.insert(point.workers);
    rate = std::max(rate, point.samples_per_second);
    weight = std::max(weight, point.weight);
  }
  if (counts.size() < 3) return std::nullopt;
  Measurements curve{.points = {points.begin(), points.end()}, .unit = rate};
  for (ScalingPoint& point : curve.points) {
    point.samples_per_second /= rate;
    point.weight /= weight;
  }
  std::ranges::sort(curve.points, {}, &ScalingPoint::workers);
  return curve;
}

using Weights = std::vector<double>;

double dot(const Weights& a, const Weights& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The coefficients of `columns`, linearly independent, whose sum comes nearest to `target`: by modified Gram-Schmidt
// and back substitution, which keep the digits that squaring the columns would lose.
std::vector<double> least_squares(std::vector<Weights> columns, Weights target) {
  const std::size_t size = columns.size();
  std::vector<std::vector<double>> upper(size, std::vector<double>(size));
  std::vector<double> coefficients(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double square = dot(columns[i], columns[i]);
    const auto remove_from = [&](Weights& other) {
      const double share = dot(columns[i], other) / square;
      for (std::size_t row = 0; row < other.size(); ++row) other[row] -= share * columns[i][row];
      return share;
    };
    for (std::size_t j = i + 1; j < size; ++j) upper[i][j] = remove_from(columns[j]);
    coefficients[i] = remove_from(target);
  }
  for (std::size_t i = size; i-- > 0;)
    for (std::size_t j = i + 1; j < size; ++j) coefficients[i] -= upper[i][j] * coefficients[j];
  return coefficients;
}

// 1 / lambda, sigma / lambda and kappa / lambda, in which the reciprocal of the law is linear.
using Reciprocals = std::array<double, 3>;

// The factors of these in N / X(N), at a number of workers.
Reciprocals factors(std::size_t workers) {
  const auto n = static_cast<double>(workers);
  return {1, n - 1, n * (n - 1)};
}

// The best fit by those of the three whose bits are set in `terms`, the others 0; nullopt if it makes one negative.
std::optional<Reciprocals> fit_of_terms(std::span<const ScalingPoint> points, unsigned terms) {
  const auto has = [&](std::size_t term) { return (terms >> term & 1U) != 0; };
  std::vector<Weights> columns;
  for (std::size_t term = 0; term < 3; ++term) {
    if (!has(term)) continue;
    Weights& column = columns.emplace_back();
    for (const ScalingPoint& point : points)
      column.push_back(std::sqrt(point.weight) * factors(point.workers)[term] * point.samples_per_second /
                       static_cast<double>(point.workers));
  }
  Weights target;
  for (const ScalingPoint& point : points) target.push_back(std::sqrt(point.weight));
  const std::vector<double> found = least_squares(std::move(columns), std::move(target));

  Reciprocals reciprocals{};
  auto next = found.begin();
  for (std::size_t term = 0; term < 3; ++term)
    if (has(term)) reciprocals[term] = *next++;
  return std::ranges::min(reciprocals) < 0 ? std::nullopt : std::optional(reciprocals);
}

double reciprocal_rate(const Reciprocals& reciprocals, std::size_t workers) {
  const Reciprocals multiplied = factors(workers);
  return std::inner_product(reciprocals.begin(), reciprocals.end(), multiplied.begin(), 0.0) /
         static_cast<double>(workers);
}

// 1 / per_worker and 1 / cap; the latter is 0 without a cap.
struct CappedReciprocals {
  double per_worker;
  double cap;
};

double reciprocal_rate(const CappedReciprocals& reciprocals, std::size_t workers) {
  return std::max(reciprocals.per_worker / static_cast<double>(workers), reciprocals.cap);
}

// Weighted mean square of rate / law - 1.
template <typename Law>
double mean_square(std::span<const ScalingPoint> points, const Law& law) {
  double sum = 0;
  double weights = 0;
  for (const ScalingPoint& point : points) {
    const double error = point.samples_per_second * reciprocal_rate(law, point.workers) - 1;
    sum += point.weight * error * error;
    weights += point.weight;
  }
  return sum / weights;
}

// Keeps the law with the lowest mean square, and the simplest where several share it.
template <typename Law>
class BestFit {
 public:
  explicit BestFit(std::span<const ScalingPoint> points) : points_(points) {}

  void offer(const Law& law) {
    const double square = mean_square(points_, law);
    if (!std::isfinite(square)) return;  // of points so far apart that the squares of some vanish
    if (law_ && square > square_ - kNoImprovement) return;
    law_ = law;
    square_ = square;
  }

  const Law& law() const { return *law_; }
  double residual() const { return std::sqrt(square_); }

 private:
  std::span<const ScalingPoint> points_;
  std::optional<Law> law_;
  double square_ = 0;
};

// The reciprocal c for which c * shape(point) comes nearest to 1 over all points.
template <typename Shape>
double nearest_to_one(std::span<const ScalingPoint> points, const Shape& shape) {
  double sum = 0;
  double squares = 0;
  for (const ScalingPoint& point : points) {
    const double value = shape(point);
    sum += point.weight * value;
    squares += point.weight * value * value;
  }
  return sum / squares;
}

double rate_at_point(const ScalingPoint& point) {
  return point.samples_per_second;
}

double rate_per_worker(const ScalingPoint& point) {
  return point.samples_per_second / static_cast<double>(point.workers);
}

}  // namespace

double ScalabilityFit::samples_per_second(double workers) const {
  return lambda * workers / (1 + sigma * (workers - 1) + kappa * workers * (workers - 1));
}

std::optional<double> ScalabilityFit::peak_workers() const {
  if (kappa == 0) return std::nullopt;
  // One more worker adds throughput exactly where N (N + 1) < (1 - sigma) / kappa.
  const double most = std::max(0.0, 1 - sigma) / kappa;
  return std::max(1.0, std::ceil((std::sqrt(1 + 4 * most) - 1) / 2));
}

double CappedLinearFit::samples_per_second(double workers) const {
  const double linear = per_worker * workers;
  return cap ? std::min(linear, *cap) : linear;
}

std::optional<ScalabilityFit> fit_scalability(std::span<const ScalingPoint> points) {
  const auto curve = curve_of(points);
  if (!curve) return std::nullopt;
  // A least square with no negative coefficient is the unrestricted one of those coefficients that it leaves positive
  // (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23); with three, all choices can be tried.
  BestFit<Reciprocals> best(curve->points);
  for (const unsigned terms : {0b001U, 0b011U, 0b101U, 0b010U, 0b100U, 0b110U, 0b111U})
    if (const auto fit = fit_of_terms(curve->points, terms)) best.offer(*fit);
  const auto [of_one, of_contention, of_coherency] = best.law();
  const ScalabilityFit fit{.lambda = curve->unit / of_one,
                           .sigma = of_contention / of_one,
                           .kappa = of_coherency / of_one,
                           .residual = best.residual()};
  const bool finite = std::isfinite(fit.lambda) && std::isfinite(fit.sigma) && std::isfinite(fit.kappa);
  return finite ? std::optional(fit) : std::nullopt;
}

std::optional<CappedLinearFit> fit_capped_linear(std::span<const ScalingPoint> points) {
  const auto curve = curve_of(points);
  if (!curve) return std::nullopt;
  const std::span<const ScalingPoint> all(curve->points);

  // The best law bends either at a count or between two. At a count it has one parameter; between two, the line is
  // that of the counts below and the cap that of those above. So every candidate is tried.
  BestFit<CappedReciprocals> best(all);
  best.offer({nearest_to_one(all, rate_per_worker), 0});
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const auto bend = static_cast<double>(all[i].workers);
    const double cap = nearest_to_one(all, [&](const ScalingPoint& point) {
      return point.samples_per_second * std::max(1.0, bend / static_cast<double>(point.workers));
    });
    best.offer({cap * bend, cap});
    best.offer({nearest_to_one(all.first(i + 1), rate_per_worker), nearest_to_one(all.subspan(i + 1), rate_at_point)});
  }
  const auto [per_worker, cap] = best.law();
  return CappedLinearFit{.per_worker = curve->unit / per_worker,
                         .cap = cap > 0 ? std::optional(curve->unit / cap) : std::nullopt,
                         .residual = best.residual()};
}

}  // namespace loadline
