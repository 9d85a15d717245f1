#include "harness/judge/judgement.h"

#include <algorithm>

#include "harness/judge/cause_words.h"
#include "harness/judge/cell_load_line.h"
#include "harness/judge/cold.h"
#include "harness/judge/configurations.h"
#include "harness/judge/filling.h"
#include "harness/judge/loader_time.h"
#include "harness/judge/phrase.h"
#include "harness/judge/python_words.h"
#include "harness/judge/rank_points.h"
#include "harness/judge/start_up.h"
#include "harness/judge/tried.h"
#include "harness/judge/verdict_advice.h"
#include "harness/judge/warnings.h"
#include "harness/result/counted.h"
#include "loaders/datasets/script.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

std::vector<double> rates_of(const Result& result, std::optional<std::size_t> cell) {
  return cell ? rates_of(result.cells[*cell]) : std::vector<double>();
}

// Indices of the outliers among all trials. Each part of a merged result may have pilots.
std::vector<std::size_t> outlier_trials(const CellResult& cell, const std::vector<double>& rates) {
  std::vector<std::size_t> indices;  // of the trials that count
  for (std::size_t i = 0; i < cell.trials.size(); ++i) {
    if (!cell.trials[i].pilot) indices.push_back(i);
  }
  std::vector<std::size_t> found = outliers(rates);
  for (std::size_t& trial : found) trial = indices[trial];
  return found;
}

// SYNTHETIC repeats one batch; where each row is a document or a part of one, others have more or fewer tokens.
bool repeats_one_of_unequal_batches(const Cell& cell) {
  const Sequences sequences = cell.dataset.sequences;
  return cell.mode == Mode::kSynthetic && (sequences == Sequences::kPadded || sequences == Sequences::kDocuments);
}

CellSummary summarize_cell(const CellResult& cell) {
  const auto rates = rates_of(cell);
  if (rates.empty()) return {};
  CellSummary summary{.samples_per_second = summarize(rates), .outliers = outlier_trials(cell, rates)};
  std::vector<double> token_rates;
  double tokens = 0;
  double padding = 0;
  std::optional<double> cut;
  for (const Trial& trial : counted(cell.trials)) {
    const auto rate = trial.tokens_per_second();
    if (!rate) continue;
    token_rates.push_back(*rate);
    tokens += static_cast<double>(*trial.tokens);
    padding += static_cast<double>(trial.padding.value_or(0));
    if (trial.cut_tokens) cut = cut.value_or(0) + static_cast<double>(*trial.cut_tokens);
  }
  if (tokens + padding > 0) {
    if (!repeats_one_of_unequal_batches(cell.cell)) summary.tokens_per_second = summarize(token_rates);
    summary.padding_share = padding / (tokens + padding);
    if (cut) summary.cut_share = tokens + *cut > 0 ? *cut / (tokens + *cut) : 0;
  }
  return summary;
}

std::optional<Summary> summarize_ceiling(const CeilingResult& ceiling) {
  if (ceiling.trials.empty()) return std::nullopt;
  return summarize(rates_of(ceiling));
}

const DatasetInfo& info_of(const Result& result, const Configuration& configuration) {
  const auto index = configuration.io ? configuration.io : configuration.full;
  return result.datasets[result.cells[*index].dataset].info;
}

// Of the device's rate, and what the run says about more reads in flight: `more_workers` of the same loader.
std::optional<DeviceShare> device_share_of(const Result& result, const CellResult& cell,
                                           const std::optional<Tried>& more_workers) {
  auto share = loadline::device_share_of(result, cell);
  if (!share) return share;
  share->more_gained = gained_clearly(more_workers);
  share->of_few_reads = share->of_few_reads && !gained_nothing(more_workers);
  return share;
}

// `tried`: by the mode of the cell. `ranks`: that share a CPU.
std::optional<Causes> causes_of(const Result& result, const Configuration& configuration, const CellResult& cell,
                                const Alternatives& tried, std::size_t ranks) {
  const std::size_t of_loader = std::max<std::size_t>(1, configuration.workers);
  const std::size_t of_process = configuration.workers + consumer_threads(cell.cell);
  const bool beside_io = configuration.io && cell.cell.mode == Mode::kFull;
  const SharedCpus threads{.counted = beside_io ? of_process : of_loader,
                           .of_process = of_process,
                           .cpus = result.environment.machine.threads_in_force,
                           .ranks = ranks};
  return causes_of(cell, info_of(result, configuration), threads, device_share_of(result, cell, tried.more_workers),
                   result.monitor ? &*result.monitor : nullptr);
}

// A neighbour for which IO leaves a CPU may still get in the way of a compute.
std::optional<Causes> causes_in_full_of(const Result& result, const Configuration& configuration,
                                        const Alternatives& tried, std::size_t ranks) {
  if (!configuration.io || !configuration.full) return std::nullopt;
  auto causes = causes_of(result, configuration, result.cells[*configuration.full], tried, ranks);
  if (!causes) return std::nullopt;
  std::erase_if(causes->named, [&](Cause cause) {
    return cause == Cause::kLatency || cause == Cause::kStorage ||
           (configuration.causes &&
            std::ranges::find(configuration.causes->named, cause) != configuration.causes->named.end());
  });
  return causes;
}

// What the run tried instead of a configuration, by each mode.
struct TriedInstead {
  Alternatives io;
  Alternatives full;
};

// By IO, or by FULL where there is no IO.
std::string more_reads_text(const Result& result, const Configuration& configuration, const TriedInstead& tried,
                            const Causes& causes) {
  const CellResult& cell = result.cells[configuration.io ? *configuration.io : *configuration.full];
  const MoreReads more =
      more_reads_of(cell, info_of(result, configuration).access, configuration.io ? tried.io : tried.full);
  return more_reads_text(more, causes.storage_remedy);
}

std::vector<TriedInstead> tried_instead(const Result& result, const std::vector<Configuration>& configurations) {
  std::vector<TriedInstead> tried(configurations.size());
  // The ranks of a program's own loop are not alternatives.
  if (result.loop) return tried;
  const auto in_io = alternatives_of(result, configurations, Mode::kIo);
  const auto in_full = alternatives_of(result, configurations, Mode::kFull);
  for (std::size_t i = 0; i < tried.size(); ++i) tried[i] = {in_io[i], in_full[i]};
  return tried;
}

std::string loader_time_text(const Result& result, const Configuration& configuration, const Verdict& verdict) {
  const CellResult& cell = result.cells[configuration.full ? *configuration.full : *configuration.io];
  const auto time = loader_time_of(cell);
  if (!time) return "";
  LoaderSetting setting = loader_setting_of(result, cell);
  setting.storage_binds = verdict.storage_binds;
  return loader_time_sentence(*time, verdict.bound, setting);
}

bool waits_for_busy_device(const Configuration& configuration) {
  const auto& causes = configuration.causes;
  return causes && std::ranges::find(causes->named, Cause::kStorage) != causes->named.end();
}

// What IO would reach if its consumer did nothing but wait, an upper bound of what is filled without the drain. Empty
// where it hardly waited, since then nothing is known.
std::vector<double> rates_of_waiting(const CellResult& cell) {
  std::vector<double> rates;
  for (const Trial& trial : counted(cell.trials)) {
    if (!(trial.wait.total_seconds > 0)) return {};
    rates.push_back(static_cast<double>(trial.samples) / std::min(trial.wait.total_seconds, trial.wall_seconds));
  }
  return rates;
}

// Seconds per batch, one value per trial of OVERHEAD.
std::vector<double> overheads_of(const Result& result) {
  std::vector<double> overheads;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.mode != Mode::kOverhead) continue;
    for (const Trial& trial : counted(cell.trials)) {
      overheads.push_back(trial.wall_seconds / static_cast<double>(trial.batches));
    }
    break;
  }
  return overheads;
}

std::string compute_words(const Cell& cell) {
  return cell.compute == kProgramStep ? "the training step" : cell.compute;
}

// A device computes elsewhere. The step of a program may use CPUs, unless an accelerator is known to do its work.
bool lacks_core(const Result& result, const Cell& cell) {
  const ComputeKind& kind = *parse_compute(cell.compute).kind;
  const bool of_program = kind.external || (result.loop && !result.loop->accelerator);
  return (kind.heeds_threads || of_program) && cell.placement.compute_cpus.empty();
}

Ending ending_of(const Result& result, std::optional<std::size_t> index) {
  if (!index) return Ending::kAsked;
  const CellResult& cell = result.cells[*index];
  if (cell.error) return Ending::kFailed;
  const bool stopped = cell.stopped ? *cell.stopped == Stopped::kTimeLimit : result.status == Status::kPartial;
  return stopped ? Ending::kStopped : Ending::kAsked;
}

double mean_batch_of(const Result& result, std::optional<std::size_t> cell) {
  return cell ? mean_batch(result.cells[*cell]) : 0;
}

// `share`: of the device's rate that the trials used.
bool is_busy_device(const Ceiling& ceiling, const std::optional<DeviceShare>& share) {
  return is_device(ceiling) && !is_of_latency(ceiling) && !(share && share->more_gained);
}

Verdict verdict_of(const Result& result, const Judgement& judgement, const Configuration& configuration,
                   const TriedInstead& tried, std::span<const double> overhead) {
  const auto io = rates_of(result, configuration.io);
  const auto synthetic = rates_of(result, configuration.synthetic);
  const auto full = rates_of(result, configuration.full);
  // The compute of a FULL or SYNTHETIC cell; IO alone has none.
  const auto with_compute = configuration.full ? configuration.full : configuration.synthetic;
  const auto load_line = configuration.io ? judgement.cells[*configuration.io].load_line : std::nullopt;
  const CellResult* const io_cell = configuration.io ? &result.cells[*configuration.io] : nullptr;
  const Filling filling = filling_of(io_cell, nullptr);
  const std::size_t shown = configuration.io ? *configuration.io : *configuration.full;
  const auto device = configuration.causes ? configuration.causes->device : std::nullopt;
  const CellResult& loading = result.cells[configuration.full ? *configuration.full : *configuration.io];
  const auto at_most = io_cell && !filling.measured ? rates_of_waiting(*io_cell) : std::vector<double>();
  Verdict verdict =
      judge({.loader = configuration.loader,
             .workers = configuration.workers,
             .takes_workers = takes_workers(result, result.cells[shown].cell),
             .compute = with_compute ? compute_words(result.cells[*with_compute].cell) : "",
             .batch_size = configuration.batch_size,
             .synthetic_batch = mean_batch_of(result, configuration.synthetic),
             .full_batch = mean_batch_of(result, configuration.full),
             .io = io,
             .synthetic = synthetic,
             .full = full,
             .fill = filling.measured ? std::span<const double>(filling.rates) : std::span<const double>(),
             .fill_at_most = at_most,
             .overhead = overhead,
             .threads_in_force = result.environment.machine.threads_in_force,
             .ceiling_efficiency = load_line ? std::optional(load_line->line.efficiency) : std::nullopt,
             .drain_binds = load_line && load_line->ceiling && is_drain(result.ceilings[*load_line->ceiling].ceiling),
             .device_binds = load_line && load_line->ceiling &&
                             is_busy_device(result.ceilings[*load_line->ceiling].ceiling, device),
             .waits_for_device = waits_for_busy_device(configuration),
             .few_reads = device && device->of_few_reads,
             .storage_remedy =
                 configuration.causes ? configuration.causes->storage_remedy : StorageRemedy::kFewerReadsOrBytes,
             .compute_threads = with_compute ? shared_compute_threads(result.cells[*with_compute].cell) : 0,
             .lacks_core = with_compute && lacks_core(result, result.cells[*with_compute].cell),
             .needs_compute = result.options.compute.empty() &&
                              result.datasets[result.cells[shown].dataset].info.format == kScriptFormat,
             .au = result.options.au,
             .tried = tried.full,
             .work = work_of(loading, result.datasets[loading.dataset].info),
             .waits_for_slots = waits_for_slots(loading),
             .io_ending = ending_of(result, configuration.io),
             .synthetic_ending = ending_of(result, configuration.synthetic),
             .full_ending = ending_of(result, configuration.full),
             .resumable = result.resumable(),
             .own_loop = result.loop.has_value()});
  const std::string loader_time = loader_time_text(result, configuration, verdict);
  verdict.sentence += loader_time;
  if (verdict.bound == Bound::kLoader) verdict.brief += loader_time;
  verdict.sentence += load_line_sentence(result, result.cells[shown], judgement.cells[shown].load_line,
                                         configuration.io && configuration.full);
  const auto name_causes = [&](const Causes& causes, std::string_view in) {
    verdict.sentence +=
        causes_text(causes, more_reads_text(result, configuration, tried, causes), configuration.workers, in);
    for (std::string* const brief : {&verdict.brief, &verdict.briefest}) *brief += outside_causes_text(causes, in);
  };
  if (configuration.causes) name_causes(*configuration.causes, configuration.causes_in_full ? " in IO" : "");
  // Where loading is the limit, the advice has said it; where the compute or the harness is, storage is not.
  const bool said = verdict.bound == Bound::kLoader;
  if (verdict.storage_binds && !said && verdict.bound != Bound::kCompute && verdict.bound != Bound::kHarness) {
    for (std::string* const brief : {&verdict.brief, &verdict.briefest}) *brief += " Loading is bound by storage.";
  }
  if (configuration.causes_in_full) name_causes(*configuration.causes_in_full, " in FULL");
  verdict.sentence += start_up_sentence(configuration);
  verdict.sentence += slow_first_epoch_sentence(result, configuration);
  return verdict;
}

void put_for_until_ci(Judgement& judgement) {
  for (Configuration& configuration : judgement.configurations) {
    Verdict& verdict = configuration.verdict;
    verdict.sentence = with_until_ci(verdict.sentence);
    verdict.brief = with_until_ci(verdict.brief);
    verdict.briefest = with_until_ci(verdict.briefest);
    if (auto& cold = configuration.cold_start) cold->sentence = with_until_ci(cold->sentence);
  }
  for (Warning& warning : judgement.warnings) warning.until_ci = true;
}

// What the command line calls --workers is num_workers in the program that was measured.
void put_into_python(Judgement& judgement) {
  for (Configuration& configuration : judgement.configurations) {
    configuration.verdict.sentence = in_python(configuration.verdict.sentence, configuration.workers > 0);
  }
  for (Warning& warning : judgement.warnings) warning.in_python = true;
}

}  // namespace

Judgement judge_run(const Result& result) {
  Judgement judgement;
  for (const CellResult& cell : result.cells) judgement.cells.push_back(summarize_cell(cell));
  for (const CellResult& check : result.checks) judgement.checks.push_back(summarize_cell(check));
  for (const CeilingResult& ceiling : result.ceilings) judgement.ceilings.push_back(summarize_ceiling(ceiling));
  judgement.configurations = configurations_of(result);
  const std::vector<double> overhead = overheads_of(result);
  const std::vector<TriedInstead> tried = tried_instead(result, judgement.configurations);
  const std::size_t ranks = ranks_per_cpu(result);
  for (std::size_t i = 0; i < judgement.configurations.size(); ++i) {
    Configuration& configuration = judgement.configurations[i];
    for (const auto cell : {configuration.io, configuration.full}) {
      if (!cell) continue;
      judgement.cells[*cell].load_line = load_line_of(
          result, result.cells[*cell], configuration.synthetic ? &result.cells[*configuration.synthetic] : nullptr);
    }
    configuration.start_up = start_up_of(result, configuration);
    configuration.causes =
        causes_of(result, configuration, result.cells[configuration.io ? *configuration.io : *configuration.full],
                  configuration.io ? tried[i].io : tried[i].full, ranks);
    configuration.causes_in_full = causes_in_full_of(result, configuration, tried[i].full, ranks);
    configuration.verdict = verdict_of(result, judgement, configuration, tried[i], overhead);
  }
  judgement.curves = curves_of(result);
  add_cold_starts(result, judgement);
  judgement.headlines = headlines_of(result, judgement);
  // Checks of a program's own loop could not be measured.
  if (!result.loop) judgement.predictions = predictions_of(result, judgement);
  judgement.warnings = warnings_of(result, judgement);
  if (result.options.until_ci) put_for_until_ci(judgement);
  if (result.loop) put_into_python(judgement);
  return judgement;
}

double mean_batch(const CellResult& cell) {
  double samples = 0;
  double batches = 0;
  for (const Trial& trial : cell.trials) {
    samples += static_cast<double>(trial.samples);
    batches += static_cast<double>(trial.batches);
  }
  return batches > 0 ? samples / batches : 0;
}

std::vector<double> rates_of(const CellResult& cell) {
  std::vector<double> rates;
  for (const Trial& trial : counted(cell.trials)) rates.push_back(trial.samples_per_second());
  return rates;
}

std::size_t shared_compute_threads(const Cell& cell) {
  const bool heeds = parse_compute(cell.compute).kind->heeds_threads;
  return heeds && cell.placement.compute_cpus.empty() ? cell.compute_threads : 0;
}

std::size_t consumer_threads(const Cell& cell) {
  return std::max<std::size_t>(1, cell.mode == Mode::kFull ? shared_compute_threads(cell) : 0);
}

bool launches_ahead(const Cell& cell) {
  return parse_compute(cell.compute).launches_ahead();
}

std::optional<double> seconds_per_batch(const CellResult& cell) {
  Moments moments;
  for (const Trial& trial : counted(cell.trials)) moments.add(trial.wall_seconds / static_cast<double>(trial.batches));
  return moments.count() > 0 ? std::optional(moments.mean()) : std::nullopt;
}

std::optional<double> overhead_seconds_per_batch(const Result& result) {
  for (const CellResult& cell : result.cells) {
    if (cell.cell.mode == Mode::kOverhead) return seconds_per_batch(cell);
  }
  return std::nullopt;
}

}  // namespace loadline
