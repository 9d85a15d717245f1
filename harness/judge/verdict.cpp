#include "harness/judge/verdict.h"

#include <fmt/core.h>

#include <cmath>

#include "harness/judge/verdict_advice.h"
#include "harness/judge/verdict_class.h"
#include "harness/judge/verdict_figures.h"
#include "harness/judge/verdict_sentences.h"
#include "loaders/error.h"

namespace loadline {
namespace {

void require_usable(const Evidence& evidence) {
  for (const auto& rates : {evidence.io, evidence.synthetic, evidence.full, evidence.fill, evidence.fill_at_most}) {
    for (const double rate : rates) {
      if (!(rate > 0) || !std::isfinite(rate))
        throw Error(fmt::format("verdict: want positive finite samples per second, got {}", rate));
    }
  }
  for (const double seconds : evidence.overhead) {
    if (!(seconds >= 0) || !std::isfinite(seconds))
      throw Error(fmt::format("verdict: want an overhead of zero or more seconds per batch, got {}", seconds));
  }
  if (!evidence.overhead.empty() && evidence.batch_size == 0)
    throw Error("verdict: want a batch size with the overhead, got 0");
}

}  // namespace

std::string_view name(Bound bound) {
  switch (bound) {
    case Bound::kCompute: return "compute";
    case Bound::kLoader: return "loader";
    case Bound::kBalanced: return "balanced";
    case Bound::kInterference: return "interference";
    case Bound::kHarness: return "harness";
    case Bound::kUnclear: return "unclear";
    case Bound::kIncomplete: return "incomplete";
  }
  throw Error("verdict: unknown bound");
}

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::kMet: return "met";
    case Standing::kMissed: return "missed";
    case Standing::kUnclear: return "unclear";
  }
  throw Error("verdict: unknown standing");
}

Standing standing_of(const Estimate& utilisation, double asked) {
  if (!utilisation.ci95) return Standing::kUnclear;
  if (utilisation.ci95->low >= asked) return Standing::kMet;
  return utilisation.ci95->high < asked ? Standing::kMissed : Standing::kUnclear;
}

std::optional<Estimate> stall_between(std::span<const double> without, std::span<const double> with) {
  if (without.empty() || with.empty()) return std::nullopt;
  const Ratio spared = log_welch_ratio(without, with);
  Estimate stall{1 - spared.value, std::nullopt};
  if (spared.ci95) stall.ci95 = Interval{1 - spared.ci95->high, 1 - spared.ci95->low};
  return stall;
}

Verdict judge(const Evidence& evidence) {
  require_usable(evidence);
  Figures figures = figures_of(evidence);
  Verdict& verdict = figures.verdict;
  const Finding finding = classify(figures);
  verdict.bound = finding.bound;
  verdict.storage_binds = storage_binds(evidence);
  if (evidence.au && verdict.accelerator_utilisation) {
    verdict.goal = UtilisationGoal{*evidence.au, standing_of(*verdict.accelerator_utilisation, *evidence.au)};
  }
  verdict.sentence = sentence_of(evidence, figures, finding);
  const std::string goal = finding.doubt == Doubt::kContradiction ? "" : goal_sentence(evidence, verdict);
  verdict.sentence += goal;
  verdict.brief = verdict.sentence;
  verdict.briefest = briefest_sentence(evidence, figures, finding) + goal;
  return verdict;
}

}  // namespace loadline
