#include "bench/truth/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "bench/truth/consistency.h"
#include "harness/show/figures_text.h"
#include "harness/show/warning_text.h"

namespace loadline::truth {

std::string_view kind_of(const Noise& noise, double skewness) {
  constexpr double kAboutNormal = 0.5;
  constexpr double kSkewed = 1.25;
  if (noise.kind == NoiseKind::kOneInTen) return "one-in-ten";
  if (std::abs(skewness) > kSkewed) return "very-skewed";
  if (noise.kind == NoiseKind::kDrift) return "drift";
  return std::abs(skewness) > kAboutNormal ? "skewed" : "normal";
}

bool can_be_covered(const Interval& interval, double truth, double error) {
  constexpr double kNothing = 1e-7;
  constexpr double kSmall = 0.2;  // of half the width: lowers a coverage of 95 % to 94.3 % at most
  const double half = (interval.high - interval.low) / 2;
  return half > kNothing * std::abs(truth) && error * std::abs(truth) < kSmall * half;
}

void check_statements(Tally& tally, const Result& result, const Judgement& judgement, const std::string& subject) {
  const auto pairs = contradictions(figures_text(result, judgement) + warning_text(judgement));
  tally.count("consistent", !pairs.empty());
  for (const std::string& pair : pairs) tally.example("consistent", fmt::format("{} -- {}", pair, subject));
}

}  // namespace loadline::truth
