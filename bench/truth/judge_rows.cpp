#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>

#include "bench/truth/checks.h"
#include "bench/truth/rows.h"
#include "bench/truth/subjects.h"
#include "harness/judge/judgement.h"
#include "loaders/random.h"

namespace loadline::truth {
namespace {

constexpr std::array<std::size_t, 6> kTrials{1, 2, 3, 5, 10, 20};
constexpr std::size_t kDrawsOfASubject = 8;  // determining its truth takes longer than all draws

// Whether a clear verdict is wrong. Within each band either answer is correct: the true stall must be above 5 % to
// count as waiting and below 10 % to count as hardly waiting, the supply below 1 to be short and above 1.05 to have
// headroom, and so on.
bool is_wrong(Bound bound, const Truth& truth) {
  const double stall = truth.stall();
  const double supply = truth.supply();
  switch (bound) {
    case Bound::kLoader: return stall <= 0.05 || supply >= 1;
    case Bound::kInterference: return stall <= 0.05 || supply <= 0.95 || truth.of_bound() >= 0.99;
    case Bound::kCompute: return stall >= 0.10 || supply <= 1.05;
    case Bound::kBalanced: return (stall >= 0.10 && truth.of_bound() <= 0.95) || (stall < 0.10 && supply >= 1.10);
    default: return false;
  }
}

bool is_clear(Bound bound) {
  return bound == Bound::kLoader || bound == Bound::kInterference || bound == Bound::kCompute ||
         bound == Bound::kBalanced;
}

// Whether the truth lies at least a tenth beyond every boundary of its correct verdict.
bool lies_clear(const Truth& truth) {
  const double stall = truth.stall();
  const double supply = truth.supply();
  const bool waits = stall >= 0.15;
  const bool hardly_waits = stall <= 0.01;
  return (waits && supply <= 0.90) || (waits && supply >= 1.10 && truth.of_bound() <= 0.855) ||
         (hardly_waits && supply >= 1.155);
}

bool is_quiet(const Truth& truth) {
  constexpr double kQuiet = 0.03;
  return truth.fill.variation <= kQuiet && truth.synthetic.variation <= kQuiet && truth.full.variation <= kQuiet &&
         truth.io.variation <= kQuiet;
}

// The error of the levels that a figure is made from.
struct Known {
  double skewness = 0;  // the largest
  double error = 0;     // of the figure, about
};

Known known_of(std::initializer_list<const Level*> levels) {
  Known known;
  for (const Level* level : levels) {
    known.skewness = std::max(known.skewness, std::abs(level->skewness));
    known.error = std::hypot(known.error, level->error);
  }
  return known;
}

void cover(Tally& tally, std::string_view figure, const std::optional<Interval>& interval, double truth,
           const Known& known, const Subject& subject, std::size_t trials) {
  if (!interval || !can_be_covered(*interval, truth, known.error)) return;
  const std::string id = fmt::format("{}/{}", figure, kind_of(subject.noise, known.skewness));
  const bool held = interval->low <= truth && truth <= interval->high;
  tally.count(id, held, {fmt::format("trials {}", trials), fmt::format("law {}", name(subject.system.service.law))});
  if (!held && trials >= 10) {
    tally.example(id, fmt::format("{:.5g} not in {:.5g} to {:.5g}, {} trials: {}", truth, interval->low, interval->high,
                                  trials, subject.text()));
  }
}

void cover(Tally& tally, std::string_view figure, const std::optional<Estimate>& estimate, double truth,
           const Known& known, const Subject& subject, std::size_t trials) {
  if (estimate) cover(tally, figure, estimate->ci95, truth, known, subject, trials);
}

void count_verdict(Tally& tally, const Verdict& verdict, const Truth& truth, const Subject& subject,
                   std::size_t trials) {
  const std::vector<std::string> parts{fmt::format("trials {}", trials),
                                       fmt::format("noise {}", name(subject.noise.kind)),
                                       fmt::format("said {}", name(verdict.bound))};
  const auto example = [&](std::string_view id) {
    tally.example(id, fmt::format("{} trials, true stall {:.3g}, supply {:.3g}, of bound {:.3g}: {} -- {}", trials,
                                  truth.stall(), truth.supply(), truth.of_bound(), verdict.sentence, subject.text()));
  };
  if (is_clear(verdict.bound)) {
    const bool wrong = is_wrong(verdict.bound, truth);
    tally.count("wrong", wrong, parts);
    if (wrong) example("wrong");
  }
  const bool contradiction = verdict.sentence.find("contradict") != std::string::npos;
  tally.count("contradiction", contradiction, parts);
  if (contradiction) example("contradiction");
  if (trials == 5 && is_quiet(truth) && lies_clear(truth) && subject.noise.kind != NoiseKind::kOneInTen) {
    const bool unclear = !is_clear(verdict.bound);
    tally.count("unclear", unclear, parts);
    if (unclear) example("unclear");
  }
}

// The truth about a prediction.
double truth_of(const Prediction& prediction, const Subject& subject, const Truth& truth, Session& session) {
  if (prediction.cell.mode == Mode::kSynthetic) return truth.synthetic.typical();
  return session.truths.of(subject.system, subject.noise, prediction.cell, subject.trial_batches, session.bed)
      .full.typical();
}

void judge_subject(const Subject& subject, std::size_t trials, std::uint64_t seed, bool predictions, Session& session) {
  const Truth truth =
      session.truths.of(subject.system, subject.noise, full_cell(subject), subject.trial_batches, session.bed);
  const Result result = run(subject, trials, seed, session.bed);
  const Judgement judgement = judge_run(result);
  const Verdict& verdict = judgement.configurations.front().verdict;
  Tally& tally = session.tally;
  count_verdict(tally, verdict, truth, subject, trials);
  check_statements(tally, result, judgement, subject.text());
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Mode mode = result.cells[i].cell.mode;
    const Level& level = mode == Mode::kIo ? truth.io : mode == Mode::kFull ? truth.full : truth.synthetic;
    cover(tally, "mean", judgement.cells[i].samples_per_second->ci95, level.mean, known_of({&level}), subject, trials);
  }
  const Known steps = known_of({&truth.synthetic, &truth.full});
  // 1 - u has the absolute error of u.
  Known waiting = steps;
  waiting.error *= truth.utilisation() / std::max(1e-9, std::abs(truth.stall()));
  const Known supply = known_of({&truth.synthetic, &truth.fill});
  Known all = known_of({&truth.synthetic, &truth.fill, &truth.full});
  all.error *= 2;
  cover(tally, "stall", verdict.stall, truth.stall(), waiting, subject, trials);
  cover(tally, "au", verdict.accelerator_utilisation, truth.utilisation(), steps, subject, trials);
  cover(tally, "supply", verdict.supply, truth.supply(), supply, subject, trials);
  cover(tally, "overlap", verdict.overlap_efficiency, truth.overlap(), all, subject, trials);
  if (!predictions) return;
  const System& system = subject.system;
  const bool modelled = system.service.law == Law::kConstant && system.slowed_service == 0 && system.slowed_step == 0 &&
                        (system.device || system.step.law == Law::kConstant) &&
                        subject.noise.kind == NoiseKind::kNormal;
  for (const Prediction& prediction : judgement.predictions) {
    const auto& ci95 = prediction.samples_per_second.ci95;
    if (!ci95) continue;
    const double rate = truth_of(prediction, subject, truth, session);
    if (!can_be_covered(*ci95, rate, truth.full.error)) continue;
    const std::string_view id = modelled ? "prediction/as-modelled" : "prediction/beyond";
    const bool held = ci95->low <= rate && rate <= ci95->high;
    tally.count(id, held, {fmt::format("trials {}", trials), fmt::format("law {}", name(system.service.law))});
    if (!held) {
      tally.example(id, fmt::format("{} {:.5g} not in {:.5g} to {:.5g}, {} trials: {}", prediction.statement, rate,
                                    ci95->low, ci95->high, trials, subject.text()));
    }
  }
}

}  // namespace

void judge_one(std::uint64_t seed, std::size_t draw, Session& session) {
  Draws of_subject(loadline::key_of(seed, 1, draw / kDrawsOfASubject));
  const Subject subject = draw_subject(of_subject);
  Draws draws(loadline::key_of(seed, 2, draw));
  judge_subject(subject, draws.one_of(kTrials), loadline::key_of(seed, 3, draw), true, session);
}

void judge_clear(std::uint64_t seed, std::size_t draw, Session& session) {
  Draws of_subject(loadline::key_of(seed, 4, draw / kDrawsOfASubject));
  Subject subject = draw_subject(of_subject, {.least_supply = 0.4, .most_supply = 2.5, .most_noise = 0.02});
  if (subject.system.service.law == Law::kExponential) subject.system.service.law = Law::kConstant;
  subject.system.service.variation = std::min(subject.system.service.variation, 0.3);
  judge_subject(subject, 5, loadline::key_of(seed, 5, draw), false, session);
}

}  // namespace loadline::truth
