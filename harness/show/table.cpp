#include "harness/show/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/show/ceilings_table.h"
#include "harness/show/columns.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

struct Unit {
  double size;
  std::string_view suffix;
};

Unit unit_for(double value) {
  constexpr std::array kUnits{Unit{1e9, " G"}, Unit{1e6, " M"}, Unit{1e3, " k"}};
  for (const Unit& unit : kUnits) {
    if (value >= unit.size) return unit;
  }
  return {1, ""};
}

// As many decimals as leave four figures, of which the deviation has its own say.
int decimals_for(double scaled) {
  return scaled >= 1000 ? 0 : scaled >= 100 ? 1 : scaled >= 10 ? 2 : 3;
}

std::string cell_text(const Judgement& judgement, const Result& result, std::optional<std::size_t> cell) {
  if (!cell) return "-";
  if (result.cells[*cell].error && result.cells[*cell].trials.empty()) return "failed";
  return rate_text(judgement.cells[*cell].samples_per_second);
}

// "gather 93 %".
std::string of_ceiling_text(const Judgement& judgement, const Result& result, std::optional<std::size_t> cell) {
  const auto found = cell ? judgement.cells[*cell].load_line : std::nullopt;
  if (!found || !found->ceiling) return "-";
  const double percent = 100 * found->line.efficiency.value;
  const int decimals = percent >= 9.95 ? 0 : percent >= 0.995 ? 1 : 2;
  return fmt::format("{} {:.{}f} %", result.ceilings[*found->ceiling].ceiling.kind->name, percent, decimals);
}

std::string loader_of(const Configuration& configuration) {
  return loader_text(configuration.loader, configuration.workers);
}

// Those that bind any IO cell.
std::vector<const CeilingKind*> binding_kinds(const Result& result, const Judgement& judgement) {
  std::vector<const CeilingKind*> kinds;
  for (const Configuration& configuration : judgement.configurations) {
    const auto found = configuration.io ? judgement.cells[*configuration.io].load_line : std::nullopt;
    if (found && found->ceiling) kinds.push_back(result.ceilings[*found->ceiling].ceiling.kind);
  }
  return kinds;
}

// "/prefetch:4/dtype:u8" as a column has it: "prefetch:4 dtype:u8".
std::string further_text(const Configuration& configuration) {
  if (configuration.further.empty()) return "-";
  std::string text = configuration.further.substr(1);
  // Only a slash before the name of an axis separates; a compute has none, a path would.
  std::ranges::replace(text, '/', ' ');
  return text;
}

// The columns before the figures that every table has: workload, loader, batch.
constexpr std::size_t kNames = 3;

// Those of which no row has anything to say, such as FULL where only IO was asked for.
void leave_out_empty_columns(std::vector<Row>& rows) {
  for (std::size_t column = rows[0].size(); column-- > kNames;) {
    const bool empty =
        std::ranges::all_of(rows.begin() + 1, rows.end(), [&](const Row& row) { return row[column] == "-"; });
    if (!empty) continue;
    for (Row& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

// "of 3x32x32 u8".
std::string stored_text(const DatasetInfo& info) {
  if (info.encoded) return fmt::format("in {} bytes", info.stored_bytes);
  if (const auto& volume = info.volume) {
    return fmt::format("out of {} + {} channels of {}^3 f32", volume->input_channels, volume->target_channels,
                       volume->edge);
  }
  return fmt::format("of {}x{}x{} u8", info.shape.channels, info.shape.height, info.shape.width);
}

// The figures that the sentence rests on, besides the stall, which the table has.
std::string figures_text(const Verdict& verdict) {
  if (!verdict.accelerator_utilisation || !verdict.overlap_efficiency) return "";
  // Held against what was asked for, the sentence has it.
  if (verdict.goal) return fmt::format(" Overlap efficiency {}.", efficiency(*verdict.overlap_efficiency));
  return fmt::format(" Accelerator utilisation {}, overlap efficiency {}.", percent(*verdict.accelerator_utilisation),
                     efficiency(*verdict.overlap_efficiency));
}

// What the first pass over the data would be like, of a configuration that was measured warm.
std::string cold_start_text(const Judgement& judgement, std::size_t warm) {
  for (const Configuration& other : judgement.configurations) {
    if (other.cold_start && other.cold_start->warm == warm) return other.cold_start->sentence;
  }
  return "";
}

}  // namespace

std::string rate_text(const std::optional<Summary>& per_second) {
  if (!per_second) return "-";
  const double mean = per_second->mean;
  const auto stddev = per_second->stddev;
  const Unit unit = unit_for(mean);
  const int decimals = decimals_for(mean / unit.size);
  if (!stddev) return fmt::format("{:.{}f}{}", mean / unit.size, decimals, unit.suffix);
  return fmt::format("{:.{}f} ± {:.{}f}{}", mean / unit.size, decimals, *stddev / unit.size, decimals, unit.suffix);
}

std::string table_text(const Result& result, const Judgement& judgement) {
  std::vector<Row> rows{
      {"workload", "loader", "batch", "further", "IO", "of ceiling", "SYNTHETIC", "FULL", "stall", "fetch stall"}};
  for (const Configuration& configuration : judgement.configurations) {
    const auto& stall = configuration.verdict.stall;
    const auto& cold = configuration.cold_start;
    rows.push_back({configuration.workload, loader_of(configuration), fmt::format("{}", configuration.batch_size),
                    further_text(configuration), cell_text(judgement, result, configuration.io),
                    of_ceiling_text(judgement, result, configuration.io),
                    cell_text(judgement, result, configuration.synthetic),
                    cell_text(judgement, result, configuration.full), stall ? percent(*stall) : "-",
                    cold ? percent(cold->fetch_stall) : "-"});
  }
  // A run of SYNTHETIC alone has no loader to make a configuration of.
  if (judgement.configurations.empty()) {
    for (std::size_t i = 0; i < result.cells.size(); ++i) {
      const Cell& cell = result.cells[i].cell;
      if (cell.mode != Mode::kSynthetic) continue;
      rows.push_back({cell.workload, "-", fmt::format("{}", cell.sampler.batch_size), "-", "-", "-",
                      cell_text(judgement, result, i), "-", "-", "-"});
    }
  }
  leave_out_empty_columns(rows);
  std::vector<std::size_t> left{0, 1};
  if (rows[0][kNames] == "further") left.push_back(kNames);
  std::string text = "samples/s, mean ± standard deviation of the trials\n\n" + aligned(rows, left);
  const auto kinds = binding_kinds(result, judgement);
  if (!kinds.empty()) {
    text += "\nof ceiling: IO over the lowest limit that it has on this machine, measured in the same rounds\n";
    text += legend_text(kinds);
  }
  if (rows[0].back() == "fetch stall")
    text += "\nfetch stall: what FULL cold takes longer than FULL warm, as a share of it\n";
  return text;
}

std::string verdict_text(const Judgement& judgement) {
  std::string text;
  for (const Headline& headline : judgement.headlines) {
    const Configuration& configuration = judgement.configurations[headline.configuration];
    const bool one_batch_size = std::ranges::all_of(judgement.configurations, [&](const Configuration& other) {
      return other.workload != configuration.workload || other.batch_size == configuration.batch_size;
    });
    text += fmt::format("{}, {}{}: {}", headline.workload, loader_of(configuration),
                        one_batch_size ? "" : fmt::format(", batch {}", configuration.batch_size),
                        configuration.verdict.sentence);
    text += figures_text(configuration.verdict);
    text += cold_start_text(judgement, headline.configuration);
    if (headline.workers) {
      const std::size_t fewest = headline.workers->fewest.workers;
      text += fmt::format(" {} {} not measurably worse than any other count tried.", fewest,
                          fewest == 1 ? "worker is" : "workers are");
    }
    text += '\n';
  }
  return text;
}

std::string warning_text(const Judgement& judgement) {
  std::string text;
  for (const Warning& warning : judgement.warnings) {
    text += fmt::format("warning: {} [{}]\n", warning.message, warning.id);
  }
  return text;
}

std::string setting_text(const Result& result) {
  const Machine& machine = result.environment.machine;
  const Build& build = result.environment.build;
  std::string text = fmt::format("loadline {} ({}, {} kernels) on {}, {} of {} CPUs in force\n", build.version,
                                 build.build_type.value_or("build type unknown"), result.kernels,
                                 machine.cpu_model.value_or("an unknown CPU"), machine.threads_in_force,
                                 machine.logical_cpus ? fmt::format("{}", *machine.logical_cpus) : "an unknown number");
  for (const DatasetFacts& facts : result.datasets) {
    text += fmt::format("data: {} ({}, {} samples {}, {}{})\n", facts.path.string(), facts.info.format,
                        facts.info.samples, stored_text(facts.info), name(facts.info.access),
                        facts.fingerprint ? fmt::format(", fingerprint {:016x}", *facts.fingerprint) : "");
  }
  return text;
}

double estimated_seconds(const Result& prepared, const RunOptions& options) {
  double seconds = 0;
  for (const CellResult& cell : prepared.cells) {
    const auto batch = static_cast<double>(cell.cell.sampler.batch_size);
    // A step of the emulated device is known beforehand; a loader is taken to be no slower.
    const auto rate =
        parse_compute(cell.cell.compute).samples_per_second(cell.cell.sampler.batch_size, cell.slot_bytes);
    const double step = rate ? batch / *rate : 0;
    const double trial = options.trial_batches ? static_cast<double>(*options.trial_batches) * step
                                               : std::max(options.trial_seconds, step);
    const bool overhead = cell.cell.mode == Mode::kOverhead;
    const auto warm_up = static_cast<double>(options.warm_up_batches.value_or(cell.slots + 1));
    constexpr double kSetUpSeconds = 0.02;
    constexpr double kOverheadSeconds = 0.02;
    const double one = (overhead ? kOverheadSeconds : trial + warm_up * step) + kSetUpSeconds;
    seconds += static_cast<double>(options.trials) * one;
    if (uses_loader(cell.cell.mode)) {
      const auto samples = static_cast<double>(prepared.datasets[cell.dataset].info.samples);
      seconds += std::min(options.first_epoch_seconds, samples / batch * step) + kSetUpSeconds;
    }
  }
  return seconds + estimated_ceiling_seconds(prepared, options);
}

double estimated_ceiling_seconds(const Result& prepared, const RunOptions& options) {
  constexpr double kSetUpSeconds = 0.03;  // most of it to get memory
  const double one = std::min(kCeilingSeconds, options.trial_seconds) + kSetUpSeconds;
  return static_cast<double>(options.trials * prepared.ceilings.size()) * one;
}

std::string time_text(double seconds) {
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string scope_text(const Result& prepared, const RunOptions& options) {
  std::string what = plural(prepared.cells.size(), "cell");
  if (!prepared.ceilings.empty()) what += fmt::format(" and {}", plural(prepared.ceilings.size(), "ceiling"));
  // How long a genuine step takes is only known when it was taken.
  const bool open_ended = std::ranges::any_of(
      prepared.cells, [](const CellResult& cell) { return parse_compute(cell.cell.compute).kind->heeds_setting; });
  return fmt::format("{}, {} each, {} {}", what, plural(options.trials, "trial"), open_ended ? "at least" : "about",
                     time_text(estimated_seconds(prepared, options)));
}

std::string ceilings_scope_text(const Result& prepared, const RunOptions& options) {
  return fmt::format("{}, {} each, about {}", plural(prepared.ceilings.size(), "ceiling"),
                     plural(options.trials, "trial"), time_text(estimated_ceiling_seconds(prepared, options)));
}

std::string plan_text(const Result& prepared, const RunOptions& options) {
  std::vector<Row> rows{{"cell", "compute", "slots", "slot bytes"}};
  for (const CellResult& cell : prepared.cells) {
    rows.push_back(
        {cell.cell.name(), cell.cell.compute, fmt::format("{}", cell.slots), fmt::format("{}", cell.slot_bytes)});
  }
  std::string text = aligned(rows, {0, 1}) + '\n';
  if (!prepared.ceilings.empty()) {
    text += "ceiling\n";
    for (const CeilingResult& ceiling : prepared.ceilings) text += ceiling.ceiling.id() + '\n';
    text += '\n';
  }
  return text + scope_text(prepared, options) + '\n';
}

}  // namespace loadline
