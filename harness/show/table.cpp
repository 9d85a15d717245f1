#include "harness/show/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/plan/settings.h"
#include "harness/result/counted.h"
#include "harness/show/ceilings_table.h"
#include "harness/show/columns.h"
#include "harness/show/recommendation_text.h"
#include "harness/show/row_name.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

struct Magnitude {
  double size;
  std::string_view suffix;
};

// Of a power of ten, from where so many figures round up to it.
double rounds_up_from(int figures) {
  return 1 - 0.5 * std::pow(10.0, -figures);
}

// The largest that a value shown with so many figures reaches: "1.00 M" rather than "1000 k".
Magnitude magnitude_of(double value, int figures) {
  constexpr std::array kMagnitudes{Magnitude{1e9, " G"}, Magnitude{1e6, " M"}, Magnitude{1e3, " k"}};
  for (const Magnitude& magnitude : kMagnitudes) {
    if (value / magnitude.size >= rounds_up_from(figures)) return magnitude;
  }
  return {1, ""};
}

// As many decimals as leave so many figures.
int decimals_with(double scaled, int figures) {
  const double rounded = scaled / rounds_up_from(figures);
  const int whole = rounded >= 1000 ? 4 : rounded >= 100 ? 3 : rounded >= 10 ? 2 : 1;
  return std::max(0, figures - whole);
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
  const Estimate& share = found->line.efficiency;
  const std::string_view ceiling = result.ceilings[*found->ceiling].ceiling.kind->name;
  if (share.ci95 && !telling_share(share)) return fmt::format("{}, {}", ceiling, kTooNoisy);
  const double percent = 100 * share.value;
  const int decimals = percent >= 9.95 ? 0 : percent >= 0.995 ? 1 : 2;
  return fmt::format("{} {:.{}f} %", ceiling, percent, decimals);
}

std::string loader_of(const Configuration& configuration) {
  return loader_text(configuration.loader, configuration.workers);
}

// The kinds of ceiling that bind any IO cell.
std::vector<const CeilingKind*> binding_kinds(const Result& result, const Judgement& judgement) {
  std::vector<const CeilingKind*> kinds;
  for (const Configuration& configuration : judgement.configurations) {
    const auto found = configuration.io ? judgement.cells[*configuration.io].load_line : std::nullopt;
    if (found && found->ceiling) kinds.push_back(result.ceilings[*found->ceiling].ceiling.kind);
  }
  return kinds;
}

// Mean over the trials; "-" if one does not have it.
std::string joules_of(const CellResult& cell) {
  double sum = 0;
  double samples = 0;
  for (const Trial& trial : counted(cell.trials)) {
    const auto joules = trial.energy ? trial.energy->joules() : std::nullopt;
    if (!joules) return "-";
    sum += *joules;
    samples += static_cast<double>(trial.samples);
  }
  return samples > 0 ? plain_number(1000 * sum / samples, 3) : "-";
}

std::string joules_of(const Result& result, const Configuration& configuration) {
  const auto cell = configuration.full ? configuration.full : configuration.io;
  return cell ? joules_of(result.cells[*cell]) : "-";
}

// Whose energy is known: "CPUs", "CPUs and GPUs".
std::string energy_parts(const Result& result) {
  std::array<bool, 3> known{};
  for (const CellResult& cell : result.cells) {
    for (const Trial& trial : cell.trials) {
      if (!trial.energy) continue;
      known[0] = known[0] || trial.energy->cpu_joules;
      known[1] = known[1] || trial.energy->memory_joules;
      known[2] = known[2] || trial.energy->gpu_joules;
    }
  }
  std::vector<std::string> parts;
  constexpr std::array<std::string_view, 3> kParts{"CPUs", "memory", "GPUs"};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (known[i]) parts.emplace_back(kParts[i]);
  }
  return listed(parts);
}

constexpr std::string_view kTitle = "samples/s, mean ± standard deviation of the trials\n\n";
constexpr std::string_view kNoTrials = "no trial of these configurations";
constexpr std::string_view kDeviationLegend =
    "\n±: for rates in this table, the standard deviation of the trials; for shares and in sentences, the 95 % "
    "interval\n";

// The columns before the figures that every table has: workload, loader, batch.
constexpr std::size_t kNames = 3;

// Columns that are empty in every row, such as FULL where only IO was requested.
void leave_out_empty_columns(std::vector<Row>& rows) {
  for (std::size_t column = rows[0].size(); column-- > kNames;) {
    const bool empty =
        std::ranges::all_of(rows.begin() + 1, rows.end(), [&](const Row& row) { return row[column] == "-"; });
    if (!empty) continue;
    for (Row& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

bool has_figures(const std::vector<Row>& rows) {
  return rows[0].size() > kNames + (rows[0].back() == "further" ? 1 : 0);
}

// Whether a stall is shown by the upper end of its interval.
bool has_upper_ends(const std::vector<Row>& rows) {
  return std::ranges::any_of(rows, [](const Row& row) {
    return std::ranges::any_of(row, [](const std::string& text) { return text.starts_with("< "); });
  });
}

// A separate table: a rate of samples says little about sequences, which may have any length. Empty if there are no
// tokens.
std::string tokens_text(const Result& result, const Judgement& judgement, std::size_t width) {
  std::vector<Row> rows{
      {"workload", "loader", "batch", "further", "length", "IO", "SYNTHETIC", "FULL", "padding", "cut"}};
  const auto rate = [&](const std::optional<std::size_t>& cell) {
    return cell ? rate_text(judgement.cells[*cell].tokens_per_second) : std::string("-");
  };
  for (const Configuration& configuration : judgement.configurations) {
    const auto cell = configuration.full ? configuration.full : configuration.io;
    const auto& padding = judgement.cells[*cell].padding_share;
    const auto& cut = judgement.cells[*cell].cut_share;
    if (!padding) continue;
    const std::size_t length = result.cells[*cell].cell.dataset.sequence_length;
    std::string further = configuration.further;
    const std::string axis = fmt::format("/sequence_length:{}", length);  // has a column
    if (const auto at = further.find(axis); at != std::string::npos) further.erase(at, axis.size());
    rows.push_back({configuration.workload, loader_of(configuration), fmt::format("{}", configuration.batch_size),
                    further.empty() ? "-" : axes_words(further), fmt::format("{}", length), rate(configuration.io),
                    rate(configuration.synthetic), rate(configuration.full), fmt::format("{:.1f} %", 100 * *padding),
                    cut ? fmt::format("{:.1f} %", 100 * *cut) : std::string("-")});
  }
  if (rows.size() == 1) return "";
  const bool any_cut =
      std::ranges::any_of(rows.begin() + 1, rows.end(), [](const Row& row) { return row.back() != "-"; });
  leave_out_empty_columns(rows);
  TableShape shape{.left = {0, 1},
                   .constant = {"batch", "workload", "length", "further"},
                   .expendable = {"SYNTHETIC", "IO", "cut", "padding"},
                   .names = {"workload", "loader"}};
  if (rows[0][kNames] == "further") shape.left.push_back(kNames);
  return fmt::format(
      "\ntokens/s: tokens that samples predict; length: tokens per sample; padding: share of empty places{}\n\n{}",
      any_cut ? ";\ncut: share of the tokens that did not fit their sample" : "", fitted(rows, shape, width));
}

// The figures behind the sentence, except the stall, which is in the table. Only those that say something.
std::string figures_text(const Verdict& verdict) {
  const auto& utilisation = verdict.accelerator_utilisation;
  const auto& overlap = verdict.overlap_efficiency;
  // If it was compared with a goal, the sentence has it.
  const bool busy = utilisation && telling_share(*utilisation) && !verdict.goal;
  const bool said = verdict.sentence.find("(overlap efficiency ") != std::string::npos;
  const bool overlaps = overlap && telling_efficiency(*overlap) && !said;
  if (busy && overlaps) {
    return fmt::format(" Accelerator utilisation {}, overlap efficiency {}.", utilisation_words(*utilisation),
                       efficiency(*overlap));
  }
  if (busy) return fmt::format(" Accelerator utilisation {}.", utilisation_words(*utilisation));
  return overlaps ? fmt::format(" Overlap efficiency {}.", efficiency(*overlap)) : "";
}

// What a first pass over the data would be like for a configuration that was measured warm. Empty where the verdict of
// the cold one, which says the same, is shown too.
std::string cold_start_text(const Judgement& judgement, std::size_t warm) {
  for (std::size_t i = 0; i < judgement.configurations.size(); ++i) {
    const auto& cold = judgement.configurations[i].cold_start;
    if (!cold || cold->warm != warm) continue;
    const bool said =
        std::ranges::find(judgement.headlines, i, &Headline::configuration) != judgement.headlines.end() &&
        judgement.configurations[i].verdict.sentence.ends_with(cold->sentence);
    return said ? "" : cold->sentence;
  }
  return "";
}

std::string rate_text(const std::optional<Summary>& per_second, int figures) {
  if (!per_second) return "-";
  const double mean = per_second->mean;
  const auto stddev = per_second->stddev;
  const Magnitude magnitude = magnitude_of(mean, figures);
  const int decimals = decimals_with(mean / magnitude.size, figures);
  if (!stddev) return fmt::format("{:.{}f}{}", mean / magnitude.size, decimals, magnitude.suffix);
  return fmt::format("{:.{}f} ± {:.{}f}{}", mean / magnitude.size, decimals, *stddev / magnitude.size, decimals,
                     magnitude.suffix);
}

}  // namespace

std::string rate_text(const std::optional<Summary>& per_second) {
  return rate_text(per_second, 4);
}

std::string short_rate_text(const std::optional<Summary>& per_second) {
  return rate_text(per_second, 3);
}

std::string amount_text(double amount) {
  constexpr double kAsRate = 1e6;
  return amount >= kAsRate ? rate_text(summarize(std::array{amount})) : plain_number(amount, 4);
}

std::string table_text(const Result& result, const Judgement& judgement, std::size_t width) {
  std::vector<Row> rows{{"workload", "loader", "batch", "further", "IO", "of ceiling", "SYNTHETIC", "FULL", "stall",
                         "fetch stall", "J/1,000"}};
  for (const Configuration& configuration : judgement.configurations) {
    const auto& stall = configuration.verdict.stall;
    const auto& cold = configuration.cold_start;
    rows.push_back({configuration.workload, loader_of(configuration), fmt::format("{}", configuration.batch_size),
                    configuration.further.empty() ? "-" : axes_words(configuration.further),
                    cell_text(judgement, result, configuration.io),
                    of_ceiling_text(judgement, result, configuration.io),
                    cell_text(judgement, result, configuration.synthetic),
                    cell_text(judgement, result, configuration.full), stall ? stall_text(*stall) : "-",
                    cold ? stall_text(cold->fetch_stall) : "-", joules_of(result, configuration)});
  }
  // A run of only SYNTHETIC has no loader, so it has no configurations.
  if (judgement.configurations.empty()) {
    for (std::size_t i = 0; i < result.cells.size(); ++i) {
      const Cell& cell = result.cells[i].cell;
      if (cell.mode != Mode::kSynthetic) continue;
      const std::string axes = axes_words(axes_text(cell, {SettingPart::kSubject, SettingPart::kCompute}));
      rows.push_back({cell.workload, "-", fmt::format("{}", cell.sampler.batch_size), axes.empty() ? "-" : axes, "-",
                      "-", cell_text(judgement, result, i), "-", "-", "-", joules_of(result.cells[i])});
    }
  }
  leave_out_empty_columns(rows);
  TableShape shape{.left = {0, 1},
                   .constant = {"batch", "workload", "further"},
                   .expendable = {"of ceiling", "fetch stall", "J/1,000", "SYNTHETIC", "stall", "IO"},
                   .names = {"workload", "loader"},
                   .intervals = {"stall", "fetch stall"}};
  if (rows[0][kNames] == "further") shape.left.push_back(kNames);
  const std::string table = fitted(rows, shape, width);
  // A column that a narrow terminal does not show needs no explanation.
  const auto shows = [header = table.substr(0, table.find('\n'))](std::string_view column) {
    return header.find(column) != std::string::npos;
  };
  if (!has_figures(rows)) return std::string(kNoTrials) + (rows.size() > 1 ? "\n\n" + table : "\n");
  std::string text = std::string(kTitle) + table;
  if (text.find("±", kTitle.size()) != std::string::npos) text += kDeviationLegend;
  if (shows("stall") && has_upper_ends(rows)) {
    text += "\n< in a stall: FULL took no longer than SYNTHETIC, and the 95 % interval of the stall ends there\n";
  }
  const auto kinds = binding_kinds(result, judgement);
  if (!kinds.empty() && shows("of ceiling")) {
    text += "\nof ceiling: IO divided by its lowest limit on this machine, measured in the same rounds\n";
    text += legend_text(kinds);
  }
  if (shows("fetch stall"))
    text += "\nfetch stall: how much longer FULL cold takes than FULL warm, as a share of FULL cold\n";
  if (shows("J/1,000")) {
    text += fmt::format("\nJ/1,000: joules of {} per 1,000 samples, for FULL where measured; mean of the trials\n",
                        energy_parts(result));
  }
  return text + tokens_text(result, judgement, width);
}

std::string verdict_text(const Judgement& judgement) {
  std::string text;
  std::vector<std::size_t> rows(judgement.configurations.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  for (const Headline& headline : judgement.headlines) {
    const Configuration& configuration = judgement.configurations[headline.configuration];
    text += fmt::format("{}, {}: {}", subject_words(headline.workload, headline.task),
                        row_name(judgement, rows, headline.configuration), configuration.verdict.sentence);
    text += figures_text(configuration.verdict);
    text += cold_start_text(judgement, headline.configuration);
    text += workers_sentence(headline);
    text += '\n';
  }
  return text;
}

}  // namespace loadline
