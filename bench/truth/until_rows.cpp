#include <fmt/format.h>

#include <array>
#include <string>

#include "bench/truth/checks.h"
#include "bench/truth/rows.h"
#include "bench/truth/subjects.h"
#include "harness/judge/judgement.h"
#include "loaders/random.h"

namespace loadline::truth {
namespace {

constexpr std::size_t kDrawsOfAnEnding = 8;

}  // namespace

void until_narrow(std::uint64_t seed, std::size_t draw, Session& session) {
  Draws of_subject(loadline::key_of(seed, 30, draw / kDrawsOfAnEnding));
  Subject subject = draw_subject(of_subject, {.most_noise = 0.03});
  subject.noise.on_step = true;  // so that every cell has some
  if (subject.system.service.law == Law::kExponential) subject.system.service.law = Law::kLogNormal;
  subject.system.service.variation = std::min(subject.system.service.variation, 0.3);
  Draws draws(loadline::key_of(seed, 31, draw));
  RunOptions options = subject.options(5);
  options.until_ci = draws.one_of(std::array{0.01, 0.02, 0.03});
  options.seed = loadline::key_of(seed, 32, draw);
  const Plan plan = plan_of(options);
  Simulation simulation(subject.system, subject.noise, options.seed, 10 * plan.cells.size(), session.bed);
  const Result result = run(plan, simulation);
  const Judgement judgement = judge_run(result);
  const Truth truth =
      session.truths.of(subject.system, subject.noise, full_cell(subject), subject.trial_batches, session.bed);
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Mode mode = result.cells[i].cell.mode;
    const Level& level = mode == Mode::kIo ? truth.io : mode == Mode::kFull ? truth.full : truth.synthetic;
    const Summary& summary = *judgement.cells[i].samples_per_second;
    if (!summary.ci95 || !can_be_covered(*summary.ci95, level.mean, level.error)) continue;
    const bool held = summary.ci95->low <= level.mean && level.mean <= summary.ci95->high;
    const std::string id = fmt::format("until-ci/{}", kind_of(subject.noise, level.skewness));
    session.tally.count(
        id, held,
        {fmt::format("asked {}", *options.until_ci), std::string(name(mode)),
         fmt::format("stopped {}", name(*result.cells[i].stopped)), fmt::format("trials {}", summary.count / 5 * 5)});
    if (result.cells[i].stopped != Stopped::kInterval) continue;
    const double half = (summary.ci95->high - summary.ci95->low) / 2;
    session.tally.count("until-ci/narrow", half <= *options.until_ci * summary.mean * (1 + 1e-9));
  }
}

}  // namespace loadline::truth
