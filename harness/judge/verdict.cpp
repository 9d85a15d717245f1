#include "harness/judge/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "harness/judge/load_line.h"
#include "harness/judge/phrase.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// ---- figures

// What one set of rates is of another.
std::optional<Estimate> ratio(std::span<const double> base, std::span<const double> changed) {
  if (base.empty() || changed.empty()) return std::nullopt;
  const Ratio found = log_welch_ratio(base, changed);
  return Estimate{found.value, found.ci95};
}

std::optional<Estimate> one_minus(const std::optional<Estimate>& estimate) {
  if (!estimate) return std::nullopt;
  Estimate rest{1 - estimate->value, std::nullopt};
  if (estimate->ci95) rest.ci95 = Interval{1 - estimate->ci95->high, 1 - estimate->ci95->low};
  return rest;
}

// Time is the datum, so the mean is over seconds a sample, not over rates.
Moments seconds_per_sample(std::span<const double> rates) {
  Moments moments;
  for (const double rate : rates) moments.add(1 / rate);
  return moments;
}

// With m the shorter and M the longer of the mean times of IO and SYNTHETIC and F that of FULL,
// E = (m + M - F) / m = 1 + (M - F) / m, whose gradient is dE/dm = (1 - E) / m, dE/dM = 1 / m, dE/dF = -1 / m.
// The interval is E ± t u with u^2 = sum (gradient^2 s^2 / n) (law of propagation, JCGM 100:2008, eq. 10) and t at the
// Welch-Satterthwaite degrees of freedom (its G.2b). Which of the two is shorter is taken as known; at a tie
// that lifts E by about a tenth of the half width, and the interval still covers 95 % (by simulation, n of 3 to 10).
std::optional<Estimate> overlap_efficiency(const Evidence& evidence) {
  if (evidence.io.empty() || evidence.synthetic.empty() || evidence.full.empty()) return std::nullopt;
  Moments shorter = seconds_per_sample(evidence.io);
  Moments longer = seconds_per_sample(evidence.synthetic);
  if (shorter.mean() > longer.mean()) std::swap(shorter, longer);
  const Moments full = seconds_per_sample(evidence.full);

  const double value = 1 + (longer.mean() - full.mean()) / shorter.mean();
  Estimate efficiency{value, std::nullopt};
  if (shorter.count() < 2 || longer.count() < 2 || full.count() < 2) return efficiency;

  // Times are divided by m here, so that the gradient has no unit and nothing underflows.
  const auto term = [&](double gradient, const Moments& moments) {
    const auto count = static_cast<double>(moments.count());
    const double spread = gradient * *moments.stddev() / shorter.mean();
    return VarianceTerm{spread * spread / count, count - 1};
  };
  const double half = half_width_95(combine(std::array{term(1 - value, shorter), term(1, longer), term(-1, full)}));
  efficiency.ci95 = Interval{value - half, value + half};
  return efficiency;
}

// ---- classification

enum class Cause { kNone, kNoisyStall, kNoisySupply, kContradiction };

// All that the sentences are made of. The estimates are there for every bound but kIncomplete.
struct Findings {
  Verdict verdict;
  std::optional<Estimate> of_slower;  // FULL against the slower of IO and SYNTHETIC alone
  Cause cause = Cause::kNone;         // why the bound is unclear
};

bool contains(const std::optional<Interval>& interval, double low, double high) {
  return interval && interval->low <= low && interval->high > high;
}

double full_step_seconds(const Evidence& evidence) {
  return static_cast<double>(evidence.batch_size) * seconds_per_sample(evidence.full).mean();
}

bool lost_in_overhead(const Evidence& evidence) {
  const auto overhead = evidence.overhead_seconds_per_batch;
  return overhead && full_step_seconds(evidence) < kOverheadMargin * *overhead;
}

void classify(const Evidence& evidence, Findings& findings) {
  Verdict& verdict = findings.verdict;
  if (!verdict.stall || !verdict.supply) {
    verdict.bound = Bound::kIncomplete;
    return;
  }
  if (lost_in_overhead(evidence)) {
    verdict.bound = Bound::kHarness;
    return;
  }
  const double stall = verdict.stall->value;
  const double supply = verdict.supply->value;
  const bool keeps_up = supply >= 1 - kNoticeable;
  verdict.bound = Bound::kUnclear;
  if (contains(verdict.stall->ci95, 0, kTooWide)) {
    findings.cause = Cause::kNoisyStall;
  } else if (findings.of_slower->value > 1 + kNoticeable) {
    // Two things together cannot be faster than the slower of them: either IO or SYNTHETIC is off by chance, or the
    // conditions changed.
    const bool by_chance = contains(findings.of_slower->ci95, 1, 1);
    findings.cause = by_chance ? Cause::kNoisySupply : Cause::kContradiction;
  } else if (stall <= kNoticeable) {
    verdict.bound = supply > 1 + kNoticeable ? Bound::kCompute : Bound::kBalanced;
  } else if (contains(verdict.supply->ci95, 1 - kNoticeable, 1 + kNoticeable)) {
    findings.cause = Cause::kNoisySupply;
  } else if (!keeps_up) {
    verdict.bound = Bound::kLoader;
  } else {
    verdict.bound = findings.of_slower->value < 1 - kNoticeable ? Bound::kInterference : Bound::kBalanced;
  }
}

// ---- sentences

std::string loader_of(const Evidence& evidence) {
  if (evidence.workers == 0) return evidence.loader;
  return fmt::format("{} with {} worker{}", evidence.loader, evidence.workers, evidence.workers == 1 ? "" : "s");
}

std::string compute_sentence(const Evidence& evidence, const Verdict& verdict) {
  const Estimate& stall = *verdict.stall;
  std::string busy =
      fmt::format("busy {} of the time (stall {})", percent(*verdict.accelerator_utilisation), percent(stall));
  if (stall.value < 0) {
    const bool noise = stall.ci95 && stall.ci95->high >= 0;
    busy = fmt::format("busy all the time (stall {}: {})", percent(stall),
                       noise ? "zero within noise" : "FULL was no slower than SYNTHETIC");
  }
  const bool spare_workers = evidence.workers > 1 && verdict.supply->value >= 2;
  return fmt::format(
      "Bound by compute: {} is {}; {} alone supplies {} times what it takes, so faster loading cannot help; use a "
      "faster compute{}.",
      evidence.compute, busy, loader_of(evidence), factor({verdict.supply->value, {}}),
      spare_workers ? " or fewer workers" : "");
}

std::string faster_loading(const Evidence& evidence) {
  if (evidence.workers == 0) return "use a --loader with workers";
  const bool near_ceiling = evidence.io_efficiency && *evidence.io_efficiency >= kNearCeiling;
  if (evidence.threads_in_force == 0 || evidence.workers < evidence.threads_in_force) {
    if (near_ceiling) return "raise --workers, as with so few no --loader can be much faster";
    return "raise --workers or use a faster --loader";
  }
  return fmt::format(
      "each of the {} CPUs in force has a worker already{} give each sample less work or get more CPUs (more --workers "
      "only if they wait for storage)",
      evidence.threads_in_force,
      near_ceiling ? " and no --loader can be much faster on them, so" : ", so use a faster --loader,");
}

// Whether workers and a compute that computes on CPUs are more threads than there are CPUs for them.
bool crowded(const Evidence& evidence) {
  return evidence.compute_threads > 0 && evidence.threads_in_force > 0 &&
         evidence.workers + evidence.compute_threads > evidence.threads_in_force;
}

std::string crowd_advice(const Evidence& evidence) {
  const auto counted = [](std::size_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
  };
  std::string remedy = evidence.threads_in_force > 1 ? "use --placement split" : "get more CPUs";
  if (evidence.compute_threads > 1) remedy += " or fewer --compute-threads";
  return fmt::format("{} and {} share {}: {}", counted(evidence.workers, "worker"),
                     counted(evidence.compute_threads, "compute thread"), counted(evidence.threads_in_force, "CPU"),
                     remedy);
}

std::string loader_sentence(const Evidence& evidence, const Findings& findings) {
  const Verdict& verdict = findings.verdict;
  std::string sentence = fmt::format(
      "Bound by loading: {} waits {} of the time for {}, which alone supplies {} times what it takes; a loader that "
      "kept up would give {} times the throughput: {}.",
      evidence.compute, percent(*verdict.stall), loader_of(evidence), factor({verdict.supply->value, {}}),
      factor({1 / verdict.accelerator_utilisation->value, {}}), faster_loading(evidence));
  // Only where FULL falls clearly short of loading alone: else the efficiency is a small difference of large times.
  const Estimate& overlap = *verdict.overlap_efficiency;
  const bool poor = overlap.ci95 ? overlap.ci95->high < kMostlyInTurn : overlap.value < kMostlyInTurn;
  if (poor && findings.of_slower->value < 1 - kNoticeable)
    sentence += fmt::format(" The two also {} (overlap efficiency {}, where 1 is perfect): {}.",
                            overlap.value < 0 ? "disturb each other" : "mostly take turns", efficiency(overlap),
                            crowded(evidence)   ? crowd_advice(evidence)
                            : overlap.value < 0 ? "they compete for cores or memory bandwidth"
                                                : "use a --loader that reads ahead");
  return sentence;
}

std::string balanced_sentence(const Evidence& evidence, const Verdict& verdict) {
  return fmt::format(
      "Balanced: {} alone supplies {} times what {} takes, which waits {} of the time; more throughput needs both "
      "faster loading and a faster compute.",
      loader_of(evidence), factor(*verdict.supply), evidence.compute, percent(*verdict.stall));
}

std::string interference_sentence(const Evidence& evidence, const Verdict& verdict) {
  const Estimate& overlap = *verdict.overlap_efficiency;
  std::string advice = "their work overlaps but not fully: deepen --prefetch or leave the compute a core of its own";
  if (crowded(evidence)) {
    advice = crowd_advice(evidence);
  } else if (overlap.value < 0) {
    advice = fmt::format(
        "together they take longer than one after the other, so they compete for cores or "
        "memory bandwidth: {}",
        evidence.workers > 1 ? "use fewer --workers" : "leave the compute a core of its own");
  } else if (overlap.value < kMostlyInTurn) {
    advice = "they mostly take turns: use a --loader that reads ahead or deepen --prefetch";
  }
  return fmt::format(
      "Bound by interference: {} alone supplies {} times what {} takes, yet together the compute gets {} less done "
      "(overlap efficiency {}, where 1 is perfect); {}.",
      loader_of(evidence), factor({verdict.supply->value, {}}), evidence.compute, percent(*verdict.stall),
      efficiency(overlap), advice);
}

std::string harness_sentence(const Evidence& evidence) {
  const double overhead = *evidence.overhead_seconds_per_batch;
  const double step = full_step_seconds(evidence);
  const double enough = static_cast<double>(evidence.batch_size) * kOverheadMargin * overhead / step;
  return fmt::format(
      "Bound by the harness: a FULL step of {} sample{} lasts {}, only {} times the {} that the harness itself costs a "
      "batch, and below {:.0f} times that cost blurs every figure; raise --batch-size to {} or more.",
      evidence.batch_size, evidence.batch_size == 1 ? "" : "s", duration(step), factor({step / overhead, {}}),
      duration(overhead), kOverheadMargin, std::bit_ceil(static_cast<std::size_t>(std::ceil(enough))));
}

// Trials that would tell a noticeable difference from none, going by the spread of those at hand.
std::string more_trials(std::initializer_list<std::span<const double>> sets) {
  static constexpr double kMost = 100;  // beyond, the advice would be worse than none
  double widest = 0;
  std::size_t most = 0;
  for (const auto& rates : sets) {
    const Summary summary = summarize(rates);
    widest = std::max(widest, summary.stddev.value_or(0) / summary.mean);
    most = std::max(most, summary.count);
  }
  const double trials = std::ceil(std::max(trials_to_detect(widest, kNoticeable), static_cast<double>(most + 1)));
  if (trials > kMost) return "find what disturbs this machine first, as no reasonable number of trials would do";
  return fmt::format("quieten the machine or use --trials {:.0f}", trials);
}

std::string unclear_sentence(const Evidence& evidence, const Findings& findings) {
  const Verdict& verdict = findings.verdict;
  switch (findings.cause) {
    case Cause::kNoisyStall:
      return fmt::format("Too noisy to say: {} waits {} of the time, which may be nothing or worth removing; {}.",
                         evidence.compute, percent(*verdict.stall), more_trials({evidence.synthetic, evidence.full}));
    case Cause::kNoisySupply:
      return fmt::format(
          "Too noisy to say: {} waits {} of the time, but {} alone supplies {} times what it takes, which may "
          "be enough or not; {}.",
          evidence.compute, percent(*verdict.stall), loader_of(evidence), factor(*verdict.supply),
          more_trials({evidence.io, evidence.synthetic, evidence.full}));
    case Cause::kContradiction:
      return fmt::format(
          "The trials contradict each other: FULL gave {} times the throughput of {} alone, which it cannot beat, so "
          "conditions changed between them (page cache, clock frequency, another process); check what else ran and "
          "measure again.",
          factor(*findings.of_slower), verdict.supply->value < 1 ? "IO" : "SYNTHETIC");
    case Cause::kNone: break;
  }
  throw Error("verdict: unclear without a cause");
}

struct Mode {
  std::string_view name;
  std::size_t trials;
};

std::array<Mode, 3> modes_of(const Evidence& evidence) {
  return {Mode{"IO", evidence.io.size()}, Mode{"SYNTHETIC", evidence.synthetic.size()},
          Mode{"FULL", evidence.full.size()}};
}

// "IO", "IO and FULL", "IO, SYNTHETIC and FULL".
std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string incomplete_sentence(const Evidence& evidence, const Verdict& verdict) {
  std::vector<std::string_view> missing;
  for (const Mode& mode : modes_of(evidence))
    if (mode.trials == 0) missing.push_back(mode.name);
  std::string known;
  if (verdict.stall)
    known = fmt::format(" It is known that {} waits {} of the time.", evidence.compute, percent(*verdict.stall));
  if (verdict.supply)
    known = fmt::format(" It is known that {} alone supplies {} times what {} takes.", loader_of(evidence),
                        factor(*verdict.supply), evidence.compute);
  return fmt::format("Cannot say what limits this: {} {} not measured; run with --mode io,synthetic,full.{}",
                     listed(missing), missing.size() == 1 ? "was" : "were", known);
}

// Why figures lack an interval, or nothing.
std::string interval_note(const Evidence& evidence) {
  std::vector<std::string_view> single;
  std::size_t measured = 0;
  for (const Mode& mode : modes_of(evidence)) {
    if (mode.trials == 1) single.push_back(mode.name);
    if (mode.trials > 0) ++measured;
  }
  if (single.empty()) return "";
  if (single.size() == measured) return " One trial each: no interval; use --trials 5.";
  return fmt::format(" Only one trial of {}: no interval for what depends on it; use --trials 5.", listed(single));
}

std::optional<UtilisationGoal> goal_of(const Evidence& evidence, const Verdict& verdict) {
  if (!evidence.au || !verdict.accelerator_utilisation) return std::nullopt;
  const auto& [value, ci95] = *verdict.accelerator_utilisation;
  const double asked = *evidence.au;
  if (ci95 && ci95->low < asked && asked <= ci95->high) return UtilisationGoal{asked, Standing::kUnclear};
  return UtilisationGoal{asked, value >= asked ? Standing::kMet : Standing::kMissed};
}

std::string goal_sentence(const Verdict& verdict) {
  if (!verdict.goal) return "";
  const std::string achieved = percent(*verdict.accelerator_utilisation);
  const std::string asked = fmt::format("the {:.4g} % asked for", 100 * verdict.goal->asked);
  switch (verdict.goal->standing) {
    case Standing::kMet: return fmt::format(" AU {} meets {}.", achieved, asked);
    case Standing::kMissed: return fmt::format(" AU {} misses {}.", achieved, asked);
    case Standing::kUnclear: return fmt::format(" AU {} may meet {} or miss it: use more --trials.", achieved, asked);
  }
  throw Error("verdict: unknown standing");
}

std::string sentence_of(const Evidence& evidence, const Findings& findings) {
  const Verdict& verdict = findings.verdict;
  switch (verdict.bound) {
    case Bound::kCompute: return compute_sentence(evidence, verdict);
    case Bound::kLoader: return loader_sentence(evidence, findings);
    case Bound::kBalanced: return balanced_sentence(evidence, verdict);
    case Bound::kInterference: return interference_sentence(evidence, verdict);
    case Bound::kHarness: return harness_sentence(evidence);
    case Bound::kUnclear: return unclear_sentence(evidence, findings);
    case Bound::kIncomplete: return incomplete_sentence(evidence, verdict);
  }
  throw Error("verdict: unknown bound");
}

void require_usable(const Evidence& evidence) {
  for (const auto& rates : {evidence.io, evidence.synthetic, evidence.full})
    for (const double rate : rates)
      if (!(rate > 0) || !std::isfinite(rate))
        throw Error(fmt::format("verdict: want positive finite samples per second, got {}", rate));
  if (!evidence.overhead_seconds_per_batch) return;
  if (!(*evidence.overhead_seconds_per_batch >= 0) || !std::isfinite(*evidence.overhead_seconds_per_batch))
    throw Error(fmt::format("verdict: want an overhead of zero or more seconds a batch, got {}",
                            *evidence.overhead_seconds_per_batch));
  if (evidence.batch_size == 0) throw Error("verdict: want a batch size with the overhead, got 0");
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

std::optional<Estimate> stall_between(std::span<const double> without, std::span<const double> with) {
  return one_minus(ratio(without, with));
}

Verdict judge(const Evidence& evidence) {
  require_usable(evidence);
  Findings findings{};
  Verdict& verdict = findings.verdict;
  verdict.accelerator_utilisation = ratio(evidence.synthetic, evidence.full);
  verdict.stall = one_minus(verdict.accelerator_utilisation);
  verdict.supply = ratio(evidence.synthetic, evidence.io);
  verdict.overlap_efficiency = overlap_efficiency(evidence);
  if (verdict.supply)
    findings.of_slower = ratio(verdict.supply->value < 1 ? evidence.io : evidence.synthetic, evidence.full);
  classify(evidence, findings);
  verdict.goal = goal_of(evidence, verdict);
  verdict.sentence = sentence_of(evidence, findings) + interval_note(evidence) + goal_sentence(verdict);
  return findings.verdict;
}

}  // namespace loadline
