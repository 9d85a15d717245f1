#include "harness/file/json/verdicts.h"

#include <algorithm>
#include <array>
#include <vector>

#include "harness/file/json/word_fields.h"
#include "harness/judge/grid.h"
#include "harness/judge/utilisation.h"

namespace loadline {

namespace {

constexpr std::array kBounds{Bound::kCompute, Bound::kLoader,  Bound::kBalanced,  Bound::kInterference,
                             Bound::kHarness, Bound::kUnclear, Bound::kIncomplete};
constexpr std::array kStandings{Standing::kMet, Standing::kMissed, Standing::kUnclear};
constexpr std::array kCauses{Cause::kLatency, Cause::kStorage, Cause::kContention, Cause::kThrottling,
                             Cause::kSteal,   Cause::kReaders, Cause::kReclaim};
constexpr std::array kAgreements{Agreement::kAgrees, Agreement::kDisagrees, Agreement::kUnclear};

}  // namespace

std::optional<std::vector<double>> interval_json(const std::optional<Interval>& interval) {
  return interval ? std::optional(std::vector{interval->low, interval->high}) : std::nullopt;
}

void fields(RecordWriter& json, const Summary& summary) {
  json("count", summary.count);
  json("mean", summary.mean);
  json("stddev", summary.stddev);
  json("min", summary.min);
  json("median", summary.median);
  json("max", summary.max);
  json("ci95", interval_json(summary.ci95));
}

void fields(RecordWriter& json, const CellLoadLine& found) {
  json("binding", found.name);
  json("samples_per_second", found.line.samples_per_second);
  json("efficiency", found.line.efficiency);
}

void fields(RecordWriter& json, const UtilisationGoal& goal) {
  json("asked", goal.asked);
  derived_word(json, "standing", kStandings, [&] { return name(goal.standing); });
}

void fields(RecordWriter& json, const StartUp& start_up) {
  json("start_up_seconds", start_up.seconds);
  json("warm_epoch_seconds", start_up.warm_epoch.value);
  json("dominates", start_up.dominates);
}

void fields(RecordWriter& json, const TimeShare& share) {
  json("mean", share.mean);
  json("min", share.least);
  json("max", share.most);
}

void fields(RecordWriter& json, const RankShareOfTime& one) {
  json("rank", one.rank);
  json("share", one.share);
  json("others", one.others);
}

void fields(RecordWriter& json, const Causes& causes) {
  std::vector<std::string> named;
  for (const Cause cause : causes.named) named.emplace_back(name(cause));
  json("named", named);
  json.words("named", words_of(kCauses));
  json("cpu_share", causes.cpu);
  json("wait_share", causes.wait);
  json("contention_share", causes.contention);
  json.late("contended_rank", causes.contended_rank);
  json("throttling_share", causes.throttling);
  json("steal_share", causes.steal);
  json("blocked_share", causes.blocked);
  json.late("device_share", causes.device ? std::optional(causes.device->used) : std::nullopt);
}

void fields(RecordWriter& json, const WorkerPoint& point) {
  json("workers", point.workers);
  json("samples_per_second", point.samples_per_second);
}

void fields(RecordWriter& json, const Alternative& alternative) {
  json("loader", alternative.loader);
  json("configuration", alternative.configuration);
  json("ratio", Estimate{alternative.ratio.value, alternative.ratio.ci95});
  json("equal", alternative.equal);
}

void fields(RecordWriter& json, const FewestJoules& fewest) {
  json("configuration", fewest.configuration);
  json("joules_per_1000_samples", fewest.joules);
  json("of_this_joules_per_1000_samples", fewest.others);
  json("clearly", fewest.clearly);
}

void fields(RecordWriter& json, const Headline& headline) {
  json("workload", headline.workload);
  json.late("task", headline.task.empty() ? std::nullopt : std::optional(headline.task));
  json("configuration", headline.configuration);
  json("fastest", headline.fastest);
  json("recommended", headline.recommended);
  json("equal", headline.equal);
  json("candidates", headline.candidates);
  json("rivals", headline.rivals);
  json("trials_to_tell", headline.trials_to_tell);
  json("fewest_workers", headline.workers ? headline.workers->fewest : std::nullopt);
  json("best_workers", headline.workers ? std::optional(headline.workers->best) : std::nullopt);
  json.late("fewest_joules", headline.fewest_joules);
  json("alternatives", headline.alternatives);
}

void fields(RecordWriter& json, const ScalabilityFit& law) {
  json("samples_per_second", law.lambda);
  json("contention", law.sigma);
  json("coherency", law.kappa);
  json("residual", law.residual);
}

void fields(RecordWriter& json, const CappedLinearFit& line) {
  json("samples_per_second_per_worker", line.per_worker);
  json("cap_samples_per_second", line.cap);
  json("residual", line.residual);
}

void point_fields(RecordWriter& json, const CurvePoint& one, const Result& result) {
  const auto mean = [](const Summary& summary) { return std::optional(summary.mean); };
  json.derived("cell", [&] { return result.cells[one.cell].cell.name(); });
  json("workers", one.point.workers);
  json("samples_per_second", one.point.samples_per_second);
  json("efficiency", one.point.efficiency);
  json("cpu_seconds_per_1000_samples", one.cost ? mean(one.cost->cpu_seconds) : std::nullopt);
  json("mebibytes_per_1000_samples", one.cost ? mean(one.cost->mebibytes) : std::nullopt);
}

void curve_fields(RecordWriter& json, const Curve& curve, const Result& result) {
  json("name", curve.name);
  json.list("points", curve.points,
            [&](RecordWriter& inner, const CurvePoint& point) { point_fields(inner, point, result); });
  json("scalability", curve.scalability);
  json("capped_linear", curve.capped_linear);
}

void fields(RecordWriter& json, const Warning& warning) {
  json("id", warning.id);
  json("message", warning.message);
}

void configuration_fields(RecordWriter& json, const Configuration& configuration, const Result& result) {
  const auto cell_name = [&](std::optional<std::size_t> cell) {
    return cell ? std::optional(result.cells[*cell].cell.name()) : std::nullopt;
  };
  const Verdict& verdict = configuration.verdict;
  json("workload", configuration.workload);
  json("loader", configuration.loader);
  none_as_null(json, "workers", configuration.workers);
  json("batch_size", configuration.batch_size);
  json("further", configuration.further);
  json("io", cell_name(configuration.io));
  json("synthetic", cell_name(configuration.synthetic));
  json("full", cell_name(configuration.full));
  derived_word(json, "bound", kBounds, [&] { return name(verdict.bound); });
  json("stall", verdict.stall);
  json("accelerator_utilisation", verdict.accelerator_utilisation);
  json("overlap_efficiency", verdict.overlap_efficiency);
  json("supply", verdict.supply);
  json("supply_measured", verdict.supply ? std::optional(verdict.supply_measured) : std::nullopt);
  json("supply_at_most", verdict.supply_at_most);
  json("of_bound", verdict.of_bound);
  json("goal", verdict.goal);
  json("start_up", configuration.start_up);
  json("causes", configuration.causes);
  json("causes_in_full", configuration.causes_in_full);
  const auto& cold = configuration.cold_start;
  json("fetch_stall", cold ? std::optional(cold->fetch_stall) : std::nullopt);
  json("prep_stall", cold ? cold->prep_stall : std::nullopt);
  json("cold_io", cold ? cold->io : std::nullopt);
  json("sentence", verdict.sentence);
}

void fields(RecordWriter& json, const Prediction& prediction) {
  json("configuration", prediction.configuration);
  json("statement", prediction.statement);
  json.derived("cell", [&] { return prediction.cell.name(); });
  json("compute", prediction.cell.compute);
  json("predicted_samples_per_second", prediction.samples_per_second);
  json("identity", prediction.identity);
  json("check", prediction.check);
  json("measured_samples_per_second", prediction.measured);
  json("measured_over_predicted", prediction.ratio);
  derived_word(json, "agreement", kAgreements,
               [&] { return prediction.agreement ? std::optional(name(*prediction.agreement)) : std::nullopt; });
}

namespace {

bool all_above_zero(const std::vector<double>& rates) {
  return std::ranges::all_of(rates, [](double rate) { return rate > 0; });
}

}  // namespace

void checked_rates(auto& json, std::string_view key, auto& values, auto check) {
  json.converted(
      key, values, [](const std::vector<double>& known) { return known; }, check);
}

// Whether a ratio can be made of the rates.
void rates(auto& json, std::string_view key, auto& values) {
  checked_rates(json, key, values, [](const std::vector<double>& rates) {
    if (rates.empty() || !all_above_zero(rates)) throw Error("want at least one rate, and all of them above 0");
    return rates;
  });
}

void rates_if_any(auto& json, std::string_view key, auto& values) {
  checked_rates(json, key, values, [](const std::vector<double>& rates) {
    if (!all_above_zero(rates)) throw Error("want rates above 0");
    return rates;
  });
}

void fields(auto& json, Record<Probe> auto& probe) {
  json("value", probe.value);
  json("confirms", probe.confirms);
  rates(json, "synthetic_samples_per_second", probe.synthetic);
  rates(json, "full_samples_per_second", probe.full);
  json.derived("accelerator_utilisation", [&] { return utilisation_of(probe.synthetic, probe.full); });
  json("enough", probe.enough);
}

// "confirmed", "missed", "unclear".
std::optional<std::string> word_of(const std::optional<Standing>& standing) {
  if (!standing) return std::nullopt;
  return std::string(*standing == Standing::kMet ? "confirmed" : name(*standing));
}

void search_fields(auto& json, auto& search) {
  json("find", search.kind);
  json("au", search.utilisation);
  json("found", search.found);
  json("confirmed", search.confirmed);
  json.derived("standing", [&] { return word_of(standing_of(search)); });
  json.words("standing", {"confirmed", "missed", "unclear"});
  json.derived("accelerator_utilisation", [&] {
    const bool ended = !search.probes.empty() && search.probes.back().confirms;
    return ended ? std::optional(utilisation_of(search.probes.back().synthetic, search.probes.back().full))
                 : std::nullopt;
  });
  json("probes", search.probes);
}

void fields(RecordWriter& json, const Search& search) {
  search_fields(json, search);
}
void fields(RecordReader& json, Search& search) {
  search_fields(json, search);
}

void fields(auto& json, Record<Candidate> auto& candidate) {
  json("cell", candidate.cell);
  json("loader", candidate.loader);
  none_as_null(json, "workers", candidate.workers);
  json("prefetch", candidate.prefetch);
  json.positive("batch_size", candidate.batch_size);
  json("error", candidate.error);
  rates_if_any(json, "probes_samples_per_second", candidate.probes);
  rates_if_any(json, "grid_samples_per_second", candidate.grid);
}

void fields(auto& json, Record<Rung> auto& rung) {
  json("candidates", rung.candidates);
  json("probes", rung.probes);
  json("kept", rung.kept);
}

void fields(RecordWriter& json, const SearchCost& cost) {
  json("probes", cost.probes);
  json("trials", cost.trials);
  json("worth_trials", cost.worth);
  json("grid_trials", cost.grid);
}

void best_fields_of(auto& json, auto& best) {
  word(json, "mode", best.mode, std::array{Mode::kFull, Mode::kIo});
  json.positive("trials", best.trials);
  json.positive("probe_share", best.probe_share);
  json("rungs", best.rungs);
  json("winner", best.winner);
  json("candidates", best.candidates);
}

void best_fields(RecordWriter& json, const Result& result) {
  json.object_or_null("best", result.best.has_value(), [&](RecordWriter& inner) {
    const Best best = result.best.value_or(Best());
    best_fields_of(inner, best);
    const auto standing = standing_in_grid(best);
    inner.derived("standing", [&]() -> std::optional<std::string> {
      if (!best.winner && result.status != Status::kComplete) return std::nullopt;
      return best.winner ? "confirmed" : "unclear";
    });
    inner.words("standing", {"confirmed", "unclear"});
    inner.derived("cost", [&] { return cost_of_search(result); });
    inner.derived("best_of_grid", [&]() -> std::optional<std::string> {
      return standing ? std::optional(best.candidates[standing->best].cell) : std::nullopt;
    });
    inner.derived("reached_share", [&]() -> std::optional<Estimate> {
      return standing ? std::optional(Estimate{standing->reached.value, standing->reached.ci95}) : std::nullopt;
    });
  });
}

void best_fields(RecordReader& json, Result& result) {
  if (json.object().member("best").kind() == JsonKind::kNull) return;
  json.object("best", [&](RecordReader& inner) { best_fields_of(inner, result.best.emplace()); });
}

}  // namespace loadline
