#include "harness/judge/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "harness/judge/cell_load_line.h"
#include "harness/judge/filling.h"
#include "harness/judge/judgement.h"
#include "harness/judge/load_line.h"
#include "harness/judge/phrase.h"
#include "harness/machine/machine.h"
#include "harness/plan/find.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

using Rates = std::vector<double>;
using Set = std::span<const double>;

// A figure made from others: `factor` times the product of the sets in `over`, divided by those in `under`.
struct Model {
  double factor = 1;
  std::vector<Rates> over;
  std::vector<Rates> under = {};
};

std::vector<Set> sets_of(const std::vector<Rates>& one, const std::vector<Rates>& other) {
  std::vector<Set> sets(one.begin(), one.end());
  sets.insert(sets.end(), other.begin(), other.end());
  return sets;
}

Estimate quotient(const Model& a, const Model& b) {
  return log_product(a.factor / b.factor, sets_of(a.over, b.under), sets_of(a.under, b.over));
}

Estimate estimate_of(const Model& model) {
  return quotient(model, {});
}

Model scaled(double factor, const Model& model) {
  return {.factor = factor * model.factor, .over = model.over, .under = model.under};
}

// Which of two bounds is clearly the lower one; nullopt where they are too close to each other.
enum class Side { kLoading, kCompute, kNeither };

Side side_of(const Model& loading, const Model& compute) {
  const auto supply = quotient(loading, compute).ci95;
  if (supply && supply->low > 1 + kApart) return Side::kCompute;
  if (supply && supply->high < 1 / (1 + kApart)) return Side::kLoading;
  return Side::kNeither;
}

bool same_cell(const Cell& a, const Cell& b) {
  return a.name() == b.name() && a.compute == b.compute;
}

const CellResult* find_cell(const std::vector<CellResult>& cells, const Cell& wanted) {
  const auto found = std::ranges::find_if(cells, [&](const CellResult& one) { return same_cell(one.cell, wanted); });
  return found == cells.end() || found->trials.empty() ? nullptr : &*found;
}

Agreement agreement_of(const Estimate& ratio) {
  if (!ratio.ci95) return Agreement::kUnclear;
  const Interval margin{1 / (1 + kAgreementMargin), 1 + kAgreementMargin};
  if (ratio.ci95->low >= margin.low && ratio.ci95->high <= margin.high) return Agreement::kAgrees;
  const bool outside = ratio.ci95->high < margin.low || ratio.ci95->low > margin.high;
  return outside ? Agreement::kDisagrees : Agreement::kUnclear;
}

// The predictions of one configuration whose three modes have trials.
class Predictor {
 public:
  Predictor(const Result& result, std::size_t index, const Configuration& configuration)
      : result_(result),
        index_(index),
        io_(result.cells[*configuration.io]),
        synthetic_(result.cells[*configuration.synthetic]),
        full_(result.cells[*configuration.full]),
        filling_(filling_of(&io_, &full_)),
        filled_rate_{.over = {filling_.rates}},
        step_rate_{.over = {rates_of(synthetic_)}},
        full_rate_{.over = {rates_of(full_)}},
        workers_(full_.cell.workers),
        storage_binds_(configuration.verdict.storage_binds),
        device_(configuration.causes ? configuration.causes->device : std::nullopt) {}

  std::vector<Prediction> predictions(Bound bound) {
    if (bound == Bound::kLoader) {
      with_more_workers();
      with_compute_twice_as_fast();
      with_perfect_loader();
    } else if (bound == Bound::kCompute) {
      if (!with_fewer_workers()) with_idle_workers();
      with_device_too_fast();
    }
    return std::move(predictions_);
  }

 private:
  // Returns whether there is such a prediction: its interval must be narrow enough, and its cell not measured
  // already.
  bool add(const CellResult& like, const Cell& cell, const std::string& claim, const Model& model,
           const std::string& condition = "", bool identity = false) {
    const Estimate predicted = estimate_of(model);
    if (!telling_factor(predicted) || (!identity && find_cell(result_.cells, cell) != nullptr)) return false;
    Prediction prediction{.configuration = index_,
                          .statement = fmt::format("{} {} samples/s{}", claim, rate(predicted), condition),
                          .cell = cell,
                          .dataset = like.dataset,
                          .samples_per_second = predicted,
                          .identity = identity};
    if (!identity) hold_against_checks(model, prediction);
    predictions_.push_back(std::move(prediction));
    return true;
  }

  void hold_against_checks(const Model& model, Prediction& prediction) const {
    const auto& checks = result_.checks;
    const auto found =
        std::ranges::find_if(checks, [&](const CellResult& check) { return same_cell(check.cell, prediction.cell); });
    if (found == checks.end()) return;
    prediction.check = static_cast<std::size_t>(found - checks.begin());
    const Rates rates = rates_of(*found);
    if (rates.empty()) return;
    prediction.measured = summarize(rates);
    prediction.ratio = quotient({.over = {rates}}, model);
    prediction.agreement = agreement_of(*prediction.ratio);
  }

  Cell at_workers(std::size_t workers) const {
    Cell cell = full_.cell;
    cell.workers = workers;
    return cell;
  }

  std::string claim_of(std::size_t workers, std::string_view verb) const {
    return fmt::format("with {} FULL would {}", plural(workers, "worker"), verb);
  }

  std::size_t cpus_for_workers() const {
    const std::size_t in_force = result_.environment.machine.threads_in_force;
    const auto& own = full_.cell.placement.worker_cpus;
    return own.empty() ? in_force : std::min(own.size(), in_force);
  }

  std::size_t twice_the_workers() const { return std::min(2 * workers_, cpus_for_workers()); }

  // What this many workers fill, if a sweep measured it.
  std::optional<Model> measured_filling(std::size_t workers) const {
    Cell cell = io_.cell;
    cell.workers = workers;
    Filling filling = filling_of(find_cell(result_.cells, cell), nullptr);
    if (!filling.measured) return std::nullopt;
    return Model{.over = {std::move(filling.rates)}};
  }

  // The lowest measured ceiling of FULL at this many workers, in samples per second.
  std::optional<Model> ceiling_at(std::size_t workers) const {
    const Cell cell = at_workers(workers);
    std::optional<Model> lowest;
    const DatasetInfo& info = result_.datasets[full_.dataset].info;
    for (const Ceiling& wanted : ceilings_of(cell, full_.dataset, info, memory_in_force(result_.environment.machine))) {
      const auto found = std::ranges::find(result_.ceilings, wanted, &CeilingResult::ceiling);
      if (!binds(wanted, cell) || found == result_.ceilings.end() || found->trials.empty()) continue;
      Rates rates;
      for (const CeilingTrial& trial : found->trials) {
        rates.push_back(wanted.samples_per_unit(cell, info, memory_in_force(result_.environment.machine)) *
                        trial.per_second());
      }
      Model ceiling{.over = {std::move(rates)}};
      if (!lowest || estimate_of(ceiling).value < estimate_of(*lowest).value) lowest = std::move(ceiling);
    }
    return lowest;
  }

  // Whether storage may limit more workers before they fill this much. Its rate for as many reads in flight as they
  // have was not measured then, and for another number it is below this.
  bool may_exceed_storage(std::size_t workers, const Model& filled) const {
    const auto memory = memory_in_force(result_.environment.machine);
    const DatasetInfo& info = result_.datasets[io_.dataset].info;
    Cell cell = io_.cell;
    cell.workers = workers;
    const std::vector<Ceiling> theirs = ceilings_of(cell, io_.dataset, info, memory);
    return std::ranges::any_of(io_.bounds, [&](std::size_t index) {
      const CeilingResult& measured = result_.ceilings[index];
      const Ceiling& ceiling = measured.ceiling;
      if (!is_device(ceiling) || measured.trials.empty()) return false;
      if (std::ranges::find(theirs, ceiling) != theirs.end()) return false;
      const double allowed = summarize(rates_of(measured, ceiling.samples_per_unit(io_.cell, info, memory))).mean;
      return allowed < estimate_of(filled).value;
    });
  }

  // Whether FULL keeps up with what the loader fills, as far as that is known.
  bool fills_all_the_time() const {
    const auto of_filling = quotient(full_rate_, filled_rate_).ci95;
    return of_filling && of_filling->low > 1 - kNoticeable;
  }

  // Reads that a busy device cannot serve wait for it, whoever makes them.
  void with_workers_that_wait_for_storage(std::size_t more) {
    const bool at_its_rate =
        device_ && !device_->of_few_reads && !device_->with_filling && device_->used >= kNearCeiling;
    if (!at_its_rate || !fills_all_the_time() || measured_filling(more)) return;
    add(full_, at_workers(more), claim_of(more, "gain nothing and stay at"), full_rate_, ", as storage is the limit");
  }

  // A compute on the workers' CPUs gets faster or slower with their number, by an unknown amount.
  bool workers_are_alone() const {
    const ComputeKind& kind = *parse_compute(full_.cell.compute).kind;
    return workers_ > 0 && !(kind.heeds_threads && full_.cell.placement.compute_cpus.empty());
  }

  void with_more_workers() {
    const std::size_t more = twice_the_workers();
    if (!workers_are_alone() || more <= workers_) return;
    if (storage_binds_) return with_workers_that_wait_for_storage(more);
    const double share = static_cast<double>(more) / static_cast<double>(workers_);
    Model filled = scaled(share, filled_rate_);
    Model full = scaled(share, full_rate_);
    std::string condition = ", if loading scales with the workers";
    auto known = measured_filling(more);
    if (!known && may_exceed_storage(more, filled)) return;
    const auto ceiling = known ? std::nullopt : ceiling_at(more);
    if (known) condition = ", judging by what that many fill";
    if (ceiling && estimate_of(*ceiling).value < estimate_of(filled).value) {
      known = ceiling;
      condition = ", the ceiling of this machine";
    }
    if (known) {
      filled = *known;
      full = {.over = {full_rate_.over.front(), known->over.front()}, .under = filled_rate_.over};
    }
    const Side side = side_of(filled, step_rate_);
    if (side == Side::kLoading) add(full_, at_workers(more), claim_of(more, "reach"), full, condition);
    if (side == Side::kCompute)
      add(full_, at_workers(more), claim_of(more, "reach"), step_rate_, ", all that the compute takes");
  }

  // The bound does not change, and the queue does not run fuller than before.
  void with_idle_workers() {
    const std::size_t more = twice_the_workers();
    if (!workers_are_alone() || more <= workers_ || side_of(filled_rate_, step_rate_) != Side::kCompute) return;
    add(full_, at_workers(more), claim_of(more, "gain nothing and stay at"), full_rate_);
  }

  // Half as many workers fill at least half as much.
  bool with_fewer_workers() {
    const std::size_t fewer = workers_ / 2;
    if (!workers_are_alone() || fewer == 0) return false;
    const auto known = measured_filling(fewer);
    const double share = static_cast<double>(fewer) / static_cast<double>(workers_);
    if (side_of(known ? *known : scaled(share, filled_rate_), step_rate_) != Side::kCompute) return false;
    return add(full_, at_workers(fewer), claim_of(fewer, "still reach"), full_rate_);
  }

  // A device of another rate that otherwise takes about as much; nullopt where something other than its step limits
  // it, such as a copy, or where its rate cannot be set.
  std::optional<Cell> with_device_of(double samples_per_second) const {
    constexpr std::string_view kRate = "samples_per_second";
    const std::string& compute = full_.cell.compute;
    const ComputeSpec spec = parse_compute(compute);
    if (spec.kind->name != "device" || compute.find("profile=") != std::string::npos) return std::nullopt;
    const auto row = std::ranges::find(spec.kind->parameters, kRate, &ComputeParameter::name);
    const double set = spec.values[static_cast<std::size_t>(row - spec.kind->parameters.begin())];
    const std::size_t batch = full_.cell.sampler.batch_size;
    const auto takes = [&](const ComputeSpec& any) {
      return any.samples_per_second(batch, full_.slot_bytes).value_or(0);
    };
    if (!(takes(spec) > 0) || estimate_of(step_rate_).value < (1 - kNoticeable) * takes(spec)) return std::nullopt;
    Cell cell = full_.cell;
    cell.compute = with_parameter(compute, kRate, set * samples_per_second / takes(spec));
    if (takes(parse_compute(cell.compute)) < (1 - kNoticeable) * samples_per_second) return std::nullopt;
    if (is_blurred(samples_per_second)) return std::nullopt;
    return cell;
  }

  // The harness's own cost per batch blurs steps as short as these.
  bool is_blurred(double samples_per_second) const {
    const auto overhead = overhead_seconds_per_batch(result_);
    const double step = static_cast<double>(full_.cell.sampler.batch_size) / samples_per_second;
    return overhead && step < kOverheadMargin * *overhead;
  }

  // Workers fill while the device computes. Without them the two may take turns, and then both count.
  bool overlaps() const { return workers_ > 0 && filling_.measured && fills_all_the_time(); }

  void with_compute_twice_as_fast() {
    if (!overlaps()) return;
    const auto cell = with_device_of(2 * estimate_of(step_rate_).value);
    if (cell) add(full_, *cell, "a compute twice as fast would gain nothing and stay at", full_rate_);
  }

  void with_perfect_loader() {
    if (is_blurred(estimate_of(step_rate_).value)) return;
    const Estimate gain = quotient(step_rate_, full_rate_);
    if (!telling_factor(gain)) return;
    const Estimate share{gain.value - 1, Interval{gain.ci95->low - 1, gain.ci95->high - 1}};
    const std::string more = telling_share(share) ? fmt::format("{} more throughput", percent(share))
                                                  : fmt::format("{} times the throughput", factor(gain));
    add(synthetic_, synthetic_.cell, fmt::format("a perfect loader would give {},", more), step_rate_, "", true);
  }

  void with_device_too_fast() {
    if (workers_ == 0 || !filling_.measured) return;
    const double asked = 2 * estimate_of(filled_rate_).value;
    const auto cell = with_device_of(asked);
    if (!cell) return;
    add(full_, *cell, fmt::format("a compute that takes {} samples/s would get", rate(asked)), filled_rate_,
        ", all that the loader fills");
  }

  const Result& result_;
  const std::size_t index_;
  const CellResult& io_;
  const CellResult& synthetic_;
  const CellResult& full_;
  const Filling filling_;
  const Model filled_rate_;
  const Model step_rate_;
  const Model full_rate_;
  const std::size_t workers_;
  const bool storage_binds_;
  const std::optional<DeviceShare> device_;
  std::vector<Prediction> predictions_;
};

}  // namespace

std::string_view name(Agreement agreement) {
  switch (agreement) {
    case Agreement::kAgrees: return "agrees";
    case Agreement::kDisagrees: return "disagrees";
    case Agreement::kUnclear: break;
  }
  return "unclear";
}

std::vector<Prediction> predictions_of(const Result& result, const Judgement& judgement) {
  std::vector<Prediction> predictions;
  for (const Headline& headline : judgement.headlines) {
    const Configuration& configuration = judgement.configurations[headline.configuration];
    const Bound bound = configuration.verdict.bound;
    if (bound != Bound::kLoader && bound != Bound::kCompute) continue;  // the other bounds may lack trials of a mode
    Predictor predictor(result, headline.configuration, configuration);
    for (Prediction& prediction : predictor.predictions(bound)) predictions.push_back(std::move(prediction));
  }
  return predictions;
}

}  // namespace loadline
