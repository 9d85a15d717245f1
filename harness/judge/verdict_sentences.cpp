#include "harness/judge/verdict_sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/judge/verdict_advice.h"
#include "loaders/error.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

std::string loader_of(const Evidence& evidence) {
  if (evidence.workers == 0) return evidence.loader;
  return fmt::format("{} with {}", evidence.loader, plural(evidence.workers, "worker"));
}

// ---- figures in words

// "waits 38 ± 5 % of the time"
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

// "38 ± 5 %": how much less the compute gets done than alone.
std::string less_words(const Estimate& stall) {
  return telling_share(stall) ? stall_words(stall) : "at least " + percent_at_least(stall.ci95->low);
}

// What removing all of the stall gains: "at most 1.2 % more throughput".
std::string gain_words(const Estimate& stall) {
  const double most = stall.ci95->high;
  if (most <= 0) return "faster loading cannot help";
  return fmt::format("faster loading gives at most {} more throughput", percent_at_most(1 / (1 - most) - 1));
}

enum class End : std::uint8_t { kLow, kHigh };

// "0.61 ± 0.01 times as fast as the compute"; where L was not measured, "at least" or "at most" that much, by the end
// that matters. Empty if that is too noisy to state.
std::string supply_words(const Figures& figures, End end, std::string_view compute) {
  const Verdict& verdict = figures.verdict;
  const bool measured = verdict.supply_measured;
  const auto& shown = !measured && end == End::kHigh ? verdict.supply_at_most : verdict.supply;
  if (shown && telling_factor(*shown)) {
    return fmt::format("{}{} times as fast as {}",
                       measured            ? ""
                       : end == End::kHigh ? "at most "
                                           : "at least ",
                       factor(*shown), compute);
  }
  const Bounds& bounds = figures.supply;
  if (bounds.low > 1) return fmt::format("at least {} times as fast as {}", factor_at_least(bounds.low), compute);
  if (bounds.high && *bounds.high < 1) {
    return fmt::format("at most {} times as fast as {}", factor_at_most(*bounds.high), compute);
  }
  return "";
}

// "by itself is 0.61 ± 0.01 times as fast as the compute". By itself nothing reads its batches: the sink of IO, which a
// table shows beside this, reads them and may make it slower.
std::string alone_words(const Figures& figures, End end, std::string_view compute = "the compute") {
  const std::string words = supply_words(figures, end, compute);
  return fmt::format("by itself is {}", words.empty() ? "too noisy to compare with the compute" : words);
}

std::string overlap_words(const Verdict& verdict) {
  if (!verdict.overlap_efficiency || !telling_efficiency(*verdict.overlap_efficiency)) return "";
  return fmt::format(" (overlap efficiency {}, where 1 is perfect)", efficiency(*verdict.overlap_efficiency));
}

bool overlap_below(const Verdict& verdict, double limit) {
  const auto& overlap = verdict.overlap_efficiency;
  return overlap && overlap->ci95 && overlap->ci95->high < limit;
}

// ---- clear verdicts

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
  const std::string alone =
      detail == Detail::kBriefest ? "" : fmt::format("; {} {}", loader_of(evidence), alone_words(figures, End::kLow));
  return fmt::format("Bound by compute: {} is busy {}, so {}{}; use a faster compute.", evidence.compute, busy,
                     gain_words(stall), alone);
}

// The stall is then not the time that the consumer waits: it also takes and returns batches.
std::string blurred_loader_sentence(const Evidence& evidence, const Figures& figures) {
  return fmt::format(
      "Bound by loading: {} gets {} less done with {} than alone; the loader {}: {}. How much a loader that kept "
      "up would give is unknown, because a step of {} lasts less than {:.0f} times the harness's own cost per batch.",
      evidence.compute, less_words(*figures.verdict.stall), loader_of(evidence), alone_words(figures, End::kHigh),
      faster_loading(evidence), evidence.compute, kOverheadMargin);
}

std::string loader_sentence(const Evidence& evidence, const Figures& figures, Detail detail) {
  const Verdict& verdict = figures.verdict;
  if (figures.blurred_step) return blurred_loader_sentence(evidence, figures);
  const std::string waiting =
      fmt::format("Bound by loading: {} {} for {}", evidence.compute, waits_words(*verdict.stall), loader_of(evidence));
  if (detail == Detail::kBriefest) return fmt::format("{}: {}.", waiting, faster_loading(evidence));
  const Interval& busy = *verdict.accelerator_utilisation->ci95;
  const Estimate gain{1 / verdict.accelerator_utilisation->value, Interval{1 / busy.high, 1 / busy.low}};
  std::string sentence =
      fmt::format("{}, which {}; a loader that kept up would give {} times the throughput: {}.", waiting,
                  alone_words(figures, End::kHigh),
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
  return sentence + (gained_nothing(evidence.tried.with_workers) ? "." : ": use a --loader that reads ahead.");
}

std::string balanced_sentence(const Evidence& evidence, const Figures& figures) {
  return fmt::format("Balanced: {} {}, which {}; more throughput needs both faster loading and a faster compute.",
                     loader_of(evidence),
                     alone_words(figures, figures.supply.low > 1 ? End::kLow : End::kHigh, evidence.compute),
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
                     loader_of(evidence), alone_words(figures, End::kLow, evidence.compute), less_words(*verdict.stall),
                     overlap_words(verdict), advice);
}

std::string harness_sentence(const Evidence& evidence, const Estimate& step) {
  const double enough = static_cast<double>(evidence.batch_size) * kOverheadMargin / step.ci95->low;
  return fmt::format(
      "Bound by the harness: a FULL step of {} lasts only {} times the harness's own cost per batch, and below {:.0f} "
      "times that cost blurs every figure; raise --batch-size to {} or more.",
      plural(evidence.batch_size, "sample"),
      telling_factor(step) ? factor(step) : fmt::format("at most {:.0f}", std::ceil(step.ci95->high)), kOverheadMargin,
      std::bit_ceil(static_cast<std::size_t>(std::ceil(enough))));
}

// IO alone was run.
std::string drain_sentence(const Evidence& evidence) {
  std::string filled;
  if (!evidence.fill.empty()) {
    const Ratio more = log_welch_ratio(evidence.io, evidence.fill);
    const Estimate times{more.value, more.ci95};
    if (telling_factor(times) && times.ci95->low > 1) {
      filled =
          fmt::format("; {} fills {} times as much when nothing reads the batches", loader_of(evidence), factor(times));
    }
  }
  return fmt::format(
      "Bound by the harness (drain): the one thread that takes IO's batches reads them about as fast as one thread "
      "can read what others wrote, so neither a faster loader nor more workers would raise IO{}. To see what limits "
      "training, run with --mode "
      "io,synthetic,full.",
      filled);
}

// ---- unclear

struct ModeTrials {
  std::string_view name;
  std::size_t trials;
  Ending ending;
};

std::array<ModeTrials, 3> modes_of(const Evidence& evidence) {
  const std::size_t loading = evidence.fill.empty() ? evidence.io.size() : evidence.fill.size();
  return {ModeTrials{"IO", loading, evidence.io_ending},
          ModeTrials{"SYNTHETIC", evidence.synthetic.size(), evidence.synthetic_ending},
          ModeTrials{"FULL", evidence.full.size(), evidence.full_ending}};
}

std::vector<std::string> modes_with(const Evidence& evidence, std::size_t trials,
                                    std::optional<Ending> ending = std::nullopt) {
  std::vector<std::string> names;
  for (const ModeTrials& mode : modes_of(evidence)) {
    if (mode.trials == trials && mode.ending == ending.value_or(mode.ending)) names.emplace_back(mode.name);
  }
  return names;
}

std::string_view how_to_go_on(const Evidence& evidence) {
  if (evidence.resumable) return "--resume continues it";
  // A loop that failed, and not one that was too short.
  const bool failed =
      std::ranges::any_of(modes_of(evidence), [](const auto& m) { return m.ending == Ending::kFailed; });
  return evidence.own_loop && !failed ? "it needs more epochs, or fewer or shorter trials" : "run it again";
}

std::string_view looks_like(Bound bound) {
  switch (bound) {
    case Bound::kCompute: return "; it looks bound by compute";
    case Bound::kLoader: return "; it looks bound by loading";
    case Bound::kBalanced: return "; it looks balanced";
    case Bound::kInterference: return "; it looks bound by interference";
    case Bound::kHarness: return "; its step looks too short for this harness";
    case Bound::kUnclear:
    case Bound::kIncomplete: break;
  }
  return "";
}

// " What is known: device waits 10.0 ± 1.2 % of the time."; empty if that is not known well enough.
std::string known_stall(const Evidence& evidence, const Verdict& verdict) {
  if (!verdict.stall || !telling_share(*verdict.stall)) return "";
  return fmt::format(" What is known: {} {}{}.", evidence.compute, waits_words(*verdict.stall),
                     hardly_waits(verdict) ? ", so " + gain_words(*verdict.stall) : "");
}

std::string one_trial_sentence(const Evidence& evidence, const Figures& figures) {
  std::string advice = ": use --trials 5";
  if (!modes_with(evidence, 1, Ending::kFailed).empty()) {
    advice = ". The next one failed; fix the cause and run again";
  } else if (!modes_with(evidence, 1, Ending::kStopped).empty()) {
    advice = fmt::format(". {}; {}", evidence.own_loop ? "The measurement ended early" : "The run was stopped",
                         how_to_go_on(evidence));
  }
  return fmt::format("One trial of {} cannot tell what limits this{}{}.{}", listed(modes_with(evidence, 1)),
                     looks_like(classify(at_values(figures)).bound), advice, known_stall(evidence, figures.verdict));
}

std::string contradiction_sentence(const Figures& figures) {
  const Verdict& verdict = figures.verdict;
  const bool by_compute = verdict.accelerator_utilisation->ci95->low > 1 + kNoticeable;
  const Estimate& beaten = by_compute ? *verdict.accelerator_utilisation : *figures.full_of_fill;
  return fmt::format(
      "The trials contradict each other: FULL gave {} times {}, which it cannot beat, so conditions changed between "
      "them "
      "(page cache, clock frequency, another process); check what else ran and measure again.",
      telling_factor(beaten) ? factor(beaten) : fmt::format("at least {}", factor_at_least(beaten.ci95->low)),
      by_compute ? "the throughput of SYNTHETIC alone" : "the rate of the loader by itself");
}

std::string noisy_stall_sentence(const Evidence& evidence, const Verdict& verdict) {
  const std::string advice = more_trials(evidence, {evidence.synthetic, evidence.full});
  if (!telling_share(*verdict.stall)) {
    return fmt::format("Too noisy to say whether {} waits for data: {}.", evidence.compute, advice);
  }
  if (verdict.stall->value < 0) {
    return fmt::format("Too noisy to say whether {} waits for data (stall {}): {}.", evidence.compute,
                       stall_text(*verdict.stall), advice);
  }
  return fmt::format("Too noisy to say: {} {}, which may be negligible or worth removing; {}.", evidence.compute,
                     waits_words(*verdict.stall), advice);
}

std::string open_supply_sentence(const Evidence& evidence, const Figures& figures, Doubt doubt) {
  const Verdict& verdict = figures.verdict;
  const bool waiting = waits(verdict);
  std::string known = fmt::format("{} {}{}", evidence.compute, waits_words(*verdict.stall),
                                  waiting ? "" : ", so " + gain_words(*verdict.stall));
  const std::string_view question = waiting ? "whether it is fast enough" : "whether a faster compute would wait";
  const std::string supply = supply_words(figures, End::kLow, "the compute");
  if (doubt == Doubt::kFill && supply.empty()) {
    return fmt::format("Too noisy to say: {}, but IO and FULL with {} vary too much to tell {}; {}.", known,
                       loader_of(evidence), question, more_trials_of_all(evidence));
  }
  const std::string_view open = waiting ? "which may or may not be enough" : "so a faster compute may or may not wait";
  if (doubt == Doubt::kFill) {
    return fmt::format(
        "Not known: {}, but how fast {} is by itself was not measured (cold trials and older versions lack it): it is "
        "{}, {}.",
        known, loader_of(evidence), supply, open);
  }
  if (supply.empty()) {
    return fmt::format("Too noisy to say: {}, but the rate of {} by itself is too noisy to tell {}; {}.", known,
                       loader_of(evidence), question, more_trials_of_all(evidence));
  }
  return fmt::format("Too noisy to say: {}, but {} by itself is {}, {}; {}.", known, loader_of(evidence), supply, open,
                     more_trials_of_all(evidence));
}

std::string noisy_overlap_sentence(const Evidence& evidence, const Figures& figures) {
  const auto& reached = figures.verdict.of_bound;
  const std::string together =
      reached && telling_factor(*reached)
          ? fmt::format(" (together they reach {} times the slower of the two)", factor(*reached))
          : "";
  return fmt::format("Too noisy to say: {} {}, and {} {}; the two may disturb each other or be equally fast{}; {}.",
                     evidence.compute, waits_words(*figures.verdict.stall), loader_of(evidence),
                     alone_words(figures, End::kLow), together, more_trials_of_all(evidence));
}

std::string unclear_sentence(const Evidence& evidence, const Figures& figures, Doubt doubt) {
  switch (doubt) {
    case Doubt::kOneTrial: return one_trial_sentence(evidence, figures);
    case Doubt::kHarness:
      return fmt::format(
          "Too noisy to say whether a FULL step of {} is long enough: the harness's own cost blurs the figures of "
          "shorter steps. Raise --batch-size or use more --trials.",
          plural(evidence.batch_size, "sample"));
    case Doubt::kContradiction: return contradiction_sentence(figures);
    case Doubt::kBatches:
      return fmt::format(
          "Cannot say what limits this: batches had {:.3g} samples on average in FULL and {:.3g} in SYNTHETIC, so "
          "their "
          "steps do not compare. Let the loader deliver batches of one size; loadline's own do with --drop-last.",
          evidence.full_batch, evidence.synthetic_batch);
    case Doubt::kStall: return noisy_stall_sentence(evidence, figures.verdict);
    case Doubt::kSupply:
    case Doubt::kFill: return open_supply_sentence(evidence, figures, doubt);
    case Doubt::kOverlap: return noisy_overlap_sentence(evidence, figures);
    case Doubt::kNone: break;
  }
  throw Error("verdict: unclear without a doubt");
}

// What has no trials, why, and what to do about it.
std::string missing_sentences(const Evidence& evidence) {
  std::vector<std::string> sentences;
  if (const auto failed = modes_with(evidence, 0, Ending::kFailed); !failed.empty()) {
    sentences.push_back(fmt::format("{} failed; fix the cause and run again.", listed(failed)));
  }
  if (const auto stopped = modes_with(evidence, 0, Ending::kStopped); !stopped.empty()) {
    sentences.push_back(fmt::format("{} {} not measured before {}; {}.", listed(stopped), was(stopped.size()),
                                    evidence.own_loop ? "the measurement ended" : "the run was stopped",
                                    how_to_go_on(evidence)));
  }
  if (const auto absent = modes_with(evidence, 0, Ending::kAsked); !absent.empty()) {
    sentences.push_back(
        fmt::format("{} {} not measured; {}.", listed(absent), was(absent.size()),
                    evidence.needs_compute ? "name your step with --compute" : "run with --mode io,synthetic,full"));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string incomplete_sentence(const Evidence& evidence, const Figures& figures) {
  const Verdict& verdict = figures.verdict;
  std::string known = known_stall(evidence, verdict);
  if (verdict.supply && telling_factor(*verdict.supply)) {
    known +=
        fmt::format(" What is known: {} {}.", loader_of(evidence), alone_words(figures, End::kLow, evidence.compute));
  }
  return fmt::format("Cannot say what limits this: {}{}", missing_sentences(evidence), known);
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
