#include "bench/truth/tally.h"

#include <algorithm>
#include <cmath>

namespace loadline::truth {
namespace {

constexpr std::size_t kMostExamples = 8;

// P(X <= hits) of a binomial X.
double at_most(std::size_t hits, std::size_t draws, double probability) {
  const auto n = static_cast<double>(draws);
  double sum = 0;
  for (std::size_t i = 0; i <= hits; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(probability) +
                    (n - k) * std::log1p(-probability));
  }
  return sum;
}

// The zero of a falling function.
template <typename Falling>
double crossing(const Falling& falling) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (falling(middle) > 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Interval exact_interval(const Count& count) {
  constexpr double kTail = 0.025;
  Interval interval{0, 1};
  if (count.hits > 0) {
    interval.low = crossing([&](double p) { return kTail - (1 - at_most(count.hits - 1, count.draws, p)); });
  }
  if (count.hits < count.draws) {
    interval.high = crossing([&](double p) { return at_most(count.hits, count.draws, p) - kTail; });
  }
  return interval;
}

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kMet: return "met";
    case Outcome::kOpen: return "open";
    case Outcome::kMissed: return "missed";
    case Outcome::kImpossible: return "impossible";
    case Outcome::kNoDraws: return "no draws";
  }
  return "";
}

Outcome outcome_of(const Target& target, const Count& count) {
  if (count.draws == 0) return Outcome::kNoDraws;
  const double share = count.share();
  if (share >= target.low && share <= target.high) return Outcome::kMet;
  if (!target.theory.empty()) return Outcome::kImpossible;
  const Interval interval = exact_interval(count);
  return interval.high < target.low || interval.low > target.high ? Outcome::kMissed : Outcome::kOpen;
}

void Tally::count(std::string_view id, bool hit, const std::vector<std::string>& parts) {
  Line& line = lines_[std::string(id)];
  const auto enter = [hit](Count& count) {
    ++count.draws;
    if (hit) ++count.hits;
  };
  enter(line.all);
  for (const std::string& part : parts) enter(line.parts[part]);
}

void Tally::example(std::string_view id, const std::string& text) {
  auto& examples = lines_[std::string(id)].examples;
  if (examples.size() < kMostExamples) examples.push_back(text);
}

void Tally::add(const Tally& other) {
  for (const auto& [id, line] : other.lines_) {
    Line& own = lines_[id];
    own.all.hits += line.all.hits;
    own.all.draws += line.all.draws;
    for (const auto& [part, count] : line.parts) {
      own.parts[part].hits += count.hits;
      own.parts[part].draws += count.draws;
    }
    for (const std::string& text : line.examples) example(id, text);
  }
}

Count Tally::of(std::string_view id) const {
  const auto found = lines_.find(id);
  return found == lines_.end() ? Count() : found->second.all;
}

const std::map<std::string, Count>& Tally::parts_of(std::string_view id) const {
  static const std::map<std::string, Count> kNone;
  const auto found = lines_.find(id);
  return found == lines_.end() ? kNone : found->second.parts;
}

const std::vector<std::string>& Tally::examples_of(std::string_view id) const {
  static const std::vector<std::string> kNone;
  const auto found = lines_.find(id);
  return found == lines_.end() ? kNone : found->second.examples;
}

}  // namespace loadline::truth
