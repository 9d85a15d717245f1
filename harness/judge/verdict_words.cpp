#include "harness/judge/verdict_words.h"

#include <fmt/format.h>

#include "harness/judge/phrase.h"

namespace loadline {
namespace {

// "At least 0.74 (0.38 to 1.43) times" would not say whether something is slower or faster.
bool spans_one(const Interval& interval) {
  return interval.low < 1 && interval.high > 1;
}

}  // namespace

std::string loader_words(const Evidence& evidence) {
  if (evidence.workers == 0) return evidence.loader;
  return fmt::format("{} with {}", evidence.loader, plural(evidence.workers, "worker"));
}

std::string waits_words(const Estimate& stall) {
  if (telling_share(stall) && stall.value < 0) {
    return stall.ci95->high > 0 ? fmt::format("waits less than {} of the time", percent_at_most(stall.ci95->high))
                                : "does not wait";
  }
  if (telling_share(stall)) return fmt::format("waits {} of the time", stall_words(stall));
  const double low = stall.ci95 ? stall.ci95->low : 0;
  return low > 0 ? fmt::format("waits at least {} of the time", percent_at_least(low))
                 : "waits for a share of the time that is too noisy to state";
}

std::string gain_words(const Estimate& stall) {
  const double most = stall.ci95->high;
  if (most <= 0) return "faster loading cannot help";
  return fmt::format("faster loading gives at most {} more throughput", percent_at_most(1 / (1 - most) - 1));
}

std::string supply_words(const Figures& figures, SupplyEnd end, std::string_view compute) {
  const Verdict& verdict = figures.verdict;
  const bool measured = verdict.supply_measured;
  const auto& shown = !measured && end == SupplyEnd::kHigh ? verdict.supply_at_most : verdict.supply;
  const Bounds& bounds = figures.supply;
  if (shown && telling_factor(*shown)) {
    if (measured) return fmt::format("{} times as fast as {}", factor(*shown), compute);
    const bool open = spans_one(*shown->ci95);
    if (end == SupplyEnd::kHigh) {
      return fmt::format("at most {} times as fast as {}", open ? factor_at_most(*bounds.high) : factor(*shown),
                         compute);
    }
    return fmt::format("at least {} times as fast as {}", open ? factor_at_least(bounds.low) : factor(*shown), compute);
  }
  if (bounds.low > 1) return fmt::format("at least {} times as fast as {}", factor_at_least(bounds.low), compute);
  if (bounds.high && *bounds.high < 1) {
    return fmt::format("at most {} times as fast as {}", factor_at_most(*bounds.high), compute);
  }
  return "";
}

std::string alone_words(const Figures& figures, SupplyEnd end, std::string_view compute) {
  const std::string words = supply_words(figures, end, compute);
  return fmt::format("by itself is {}", words.empty() ? "too noisy to compare with the compute" : words);
}

}  // namespace loadline
