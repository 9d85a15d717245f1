#include "harness/judge/verdict_sentences.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "harness/judge/phrase.h"
#include "harness/judge/statistics.h"
#include "harness/judge/verdict_advice.h"
#include "harness/judge/verdict_unclear.h"
#include "harness/judge/verdict_words.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// "38 ± 5 %": how much less the compute gets done than alone.
std::string less_words(const Estimate& stall) {
  return telling_share(stall) ? stall_words(stall) : "at least " + percent_at_least(stall.ci95->low);
}

std::string overlap_words(const Verdict& verdict) {
  if (!verdict.overlap_efficiency || !telling_efficiency(*verdict.overlap_efficiency)) return "";
  return fmt::format(" (overlap efficiency {}, where 1 is perfect)", efficiency(*verdict.overlap_efficiency));
}

bool overlap_below(const Verdict& verdict, double limit) {
  const auto& overlap = verdict.overlap_efficiency;
  return overlap && overlap->ci95 && overlap->ci95->high < limit;
}

// Whether a sentence has all figures, or only those that say what the limit is.
enum class Detail : std::uint8_t { kAll, kBriefest };

std::string compute_sentence(const Evidence& evidence, const Figures& figures, Detail detail) {
  const Verdict& verdict = figures.verdict;
  const Estimate& stall = *verdict.stall;
  std::string busy;
  if (stall.ci95->high <= 0) {
    busy = fmt::format("all the time (stall {}: FULL was no slower than SYNTHETIC)", percent(stall));
  } else if (!telling_share(stall)) {
    busy = fmt::format("at least {} of the time", percent_at_least(1 - stall.ci95->high));
  } else if (stall.value < 0) {
    busy = fmt::format("all the time (stall {}: zero within noise)", stall_text(stall));
  } else {
    busy = fmt::format("{} of the time (stall {})", percent(*verdict.accelerator_utilisation), percent(stall));
  }
  // A table beside it may show an IO that is slower than SYNTHETIC, because its consumer reads the batches.
  const bool plain = !evidence.io.empty() && summarize(evidence.io).mean >= summarize(evidence.synthetic).mean;
  const std::string alone = detail == Detail::kBriefest && plain
                                ? ""
                                : fmt::format("; {} {}", loader_words(evidence), alone_words(figures, SupplyEnd::kLow));
  return fmt::format("Bound by compute: {} is busy {}, so {}{}; use a faster compute.", evidence.compute, busy,
                     gain_words(stall), alone);
}

// The stall is then not the time that the consumer waits: it also takes and returns batches.
std::string blurred_loader_sentence(const Evidence& evidence, const Figures& figures) {
  return fmt::format(
      "Bound by loading: {} gets {} less done with {} than alone; the loader {}: {}. How much a loader that kept "
      "up would give is unknown, because a step of {} lasts less than {:.0f} times the harness's own cost per batch.",
      evidence.compute, less_words(*figures.verdict.stall), loader_words(evidence),
      alone_words(figures, SupplyEnd::kHigh), faster_loading(evidence), evidence.compute, kOverheadMargin);
}

std::string loader_sentence(const Evidence& evidence, const Figures& figures, Detail detail) {
  const Verdict& verdict = figures.verdict;
  if (figures.blurred_step) return blurred_loader_sentence(evidence, figures);
  const std::string waiting = fmt::format("Bound by loading: {} {} for {}", evidence.compute,
                                          waits_words(*verdict.stall), loader_words(evidence));
  if (detail == Detail::kBriefest) return fmt::format("{}: {}.", waiting, faster_loading(evidence));
  const Interval& busy = *verdict.accelerator_utilisation->ci95;
  const Estimate gain{1 / verdict.accelerator_utilisation->value, Interval{1 / busy.high, 1 / busy.low}};
  std::string sentence =
      fmt::format("{}, which {}; a loader that kept up would give {} times the throughput: {}.", waiting,
                  alone_words(figures, SupplyEnd::kHigh),
                  telling_factor(gain) ? factor(gain) : fmt::format("at least {}", factor_at_least(gain.ci95->low)),
                  faster_loading(evidence));
  // Only where FULL falls clearly short of loading alone: otherwise the efficiency is a small difference of large
  // times.
  const bool short_of_it =
      figures.of_bound.high && *figures.of_bound.high < 1 && figures.of_bound_value < 1 - kNoticeable;
  if (!short_of_it || !overlap_below(verdict, kMostlyInTurn)) return sentence;
  const bool disturbed = overlap_below(verdict, 0);
  sentence +=
      fmt::format(" The two also {}{}", disturbed ? "disturb each other" : "mostly take turns", overlap_words(verdict));
  if (crowded(evidence)) return fmt::format("{}: {}.", sentence, crowd_advice(evidence));
  if (disturbed) return sentence + ": they compete for cores or memory bandwidth.";
  // That such loaders gained nothing has been said.
  if (gained_nothing(evidence.tried.with_workers)) return sentence + '.';
  // Workers, which were advised, read ahead.
  const bool replayed = evidence.loader.starts_with("replay:");
  return sentence +
         (evidence.workers == 0 && !replayed ? ", for which the same helps." : ": use a --loader that reads ahead.");
}

std::string balanced_sentence(const Evidence& evidence, const Figures& figures) {
  return fmt::format(
      "Balanced: {} {}, which {}; more throughput needs both faster loading and a faster compute.",
      loader_words(evidence),
      alone_words(figures, figures.supply.low > 1 ? SupplyEnd::kLow : SupplyEnd::kHigh, evidence.compute),
      waits_words(*figures.verdict.stall));
}

std::string interference_sentence(const Evidence& evidence, const Figures& figures) {
  const Verdict& verdict = figures.verdict;
  std::string advice = more_overlap(evidence);
  if (crowded(evidence)) {
    advice = crowd_advice(evidence);
  } else if (overlap_below(verdict, 0)) {
    const bool share_cores = evidence.workers > 1 || evidence.lacks_core;
    advice =
        fmt::format("together they take longer than one after the other{}: {}",
                    share_cores ? ", so they compete for cores or memory bandwidth" : "", less_disturbance(evidence));
  } else if (overlap_below(verdict, kMostlyInTurn)) {
    advice = fmt::format("they mostly take turns: {}", fewer_turns(evidence));
  } else if (const auto& overlap = verdict.overlap_efficiency;
             overlap && overlap->ci95 && overlap->ci95->low > kMostlyInTurn) {
    advice = "their work overlaps, but not fully: " + advice;
  }
  return fmt::format("Bound by interference: {} {}, yet together the compute gets {} less done{}; {}.",
                     loader_words(evidence), alone_words(figures, SupplyEnd::kLow, evidence.compute),
                     less_words(*verdict.stall), overlap_words(verdict), advice);
}

std::string harness_sentence(const Evidence& evidence, const Estimate& step) {
  const double enough = static_cast<double>(evidence.batch_size) * kOverheadMargin / step.ci95->low;
  return fmt::format(
      "Bound by the harness: a FULL step of {} lasts {} times the harness's own cost per batch, and below {:.0f} "
      "times that cost blurs every figure; raise --batch-size to {} or more.",
      plural(evidence.batch_size, "sample"),
      telling_factor(step) ? "only " + factor(step) : fmt::format("at most {:.0f}", std::ceil(step.ci95->high)),
      kOverheadMargin, std::bit_ceil(static_cast<std::size_t>(std::ceil(enough))));
}

// IO alone was run.
std::string drain_sentence(const Evidence& evidence) {
  std::string filled;
  if (!evidence.fill.empty()) {
    const Ratio more = log_welch_ratio(evidence.io, evidence.fill);
    const Estimate times{more.value, more.ci95};
    if (telling_factor(times) && times.ci95->low > 1) {
      filled = fmt::format("; {} fills {} times as much when nothing reads the batches", loader_words(evidence),
                           factor(times));
    }
  }
  return fmt::format(
      "Bound by the harness (drain): the one thread that takes IO's batches reads them about as fast as one thread "
      "can read what others wrote, so neither a faster loader nor more workers would raise IO{}. To see what limits "
      "training, run with --mode "
      "io,synthetic,full.",
      filled);
}

std::string sentence_of(const Evidence& evidence, const Figures& figures, const Finding& finding, Detail detail) {
  switch (finding.bound) {
    case Bound::kCompute: return compute_sentence(evidence, figures, detail);
    case Bound::kLoader: return loader_sentence(evidence, figures, detail);
    case Bound::kBalanced: return balanced_sentence(evidence, figures);
    case Bound::kInterference: return interference_sentence(evidence, figures);
    case Bound::kHarness:
      return finding.by_drain ? drain_sentence(evidence) : harness_sentence(evidence, *figures.step_overhead);
    case Bound::kUnclear: return unclear_sentence(evidence, figures, finding.doubt);
    case Bound::kIncomplete: return incomplete_sentence(evidence, figures);
  }
  throw Error("verdict: unknown bound");
}

}  // namespace

std::string sentence_of(const Evidence& evidence, const Figures& figures, const Finding& finding) {
  return sentence_of(evidence, figures, finding, Detail::kAll);
}

std::string briefest_sentence(const Evidence& evidence, const Figures& figures, const Finding& finding) {
  return sentence_of(evidence, figures, finding, Detail::kBriefest);
}

bool says_too_noisy(const Verdict& verdict) {
  return verdict.sentence.starts_with("Too noisy");
}

std::string goal_sentence(const Evidence& evidence, const Verdict& verdict) {
  if (!verdict.goal) return "";
  const Estimate& utilisation = *verdict.accelerator_utilisation;
  const std::string asked = fmt::format("the {:.4g} % requested", 100 * verdict.goal->asked);
  if (!utilisation.ci95) return fmt::format(" One trial cannot tell whether AU meets {}.", asked);
  const std::string advice =
      says_too_noisy(verdict) ? "" : ": " + more_trials(evidence, {evidence.synthetic, evidence.full});
  if (!telling_share(utilisation)) {
    switch (verdict.goal->standing) {
      case Standing::kMet: return fmt::format(" AU meets {}.", asked);
      case Standing::kMissed: return fmt::format(" AU misses {}.", asked);
      case Standing::kUnclear: return fmt::format(" Too noisy to say whether AU meets {}{}.", asked, advice);
    }
  }
  const std::string achieved = percent_beside(utilisation, verdict.goal->asked);
  switch (verdict.goal->standing) {
    case Standing::kMet: return fmt::format(" AU {} meets {}.", achieved, asked);
    case Standing::kMissed: return fmt::format(" AU {} misses {}.", achieved, asked);
    case Standing::kUnclear: return fmt::format(" AU {} may meet {} or miss it{}.", achieved, asked, advice);
  }
  throw Error("verdict: unknown standing");
}

}  // namespace loadline
