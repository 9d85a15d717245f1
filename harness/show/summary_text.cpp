#include "harness/show/summary_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/show/best_text.h"
#include "harness/show/columns.h"
#include "harness/show/predictions_text.h"
#include "harness/show/ranks_text.h"
#include "harness/show/recommendation_text.h"
#include "harness/show/row_name.h"
#include "harness/show/schedule_text.h"
#include "harness/show/search_text.h"
#include "harness/show/setting_text.h"
#include "harness/show/staging_text.h"
#include "harness/show/table.h"
#include "harness/show/wrap.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

// Rows if there is one headline; with several, each has fewer, and no more headlines than these are shown.
constexpr std::size_t kMostRows = 4;

// "loadline 0.1.0 on AMD EPYC, 2 of 2 CPUs in force", on one line.
std::string head_text(const Result& result) {
  const std::string setting = setting_text(result);
  std::string line = setting.substr(0, setting.find('\n'));
  // A user who measures another build must see it.
  const auto begin = line.find(" (Release, ");
  const auto end = line.find(')', begin);
  if (begin != std::string::npos && end != std::string::npos) line.erase(begin, end + 1 - begin);
  const std::size_t cpus = line.rfind(", ");
  return shortened_line(line.substr(0, cpus), line.substr(cpus), kSummaryColumns);
}

// " of 5 trials", or " of the trials" where cells have different numbers.
std::string trials_text(const Result& result) {
  std::set<std::size_t> numbers;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.mode == Mode::kOverhead || cell.error) continue;
    numbers.insert(
        static_cast<std::size_t>(std::ranges::count_if(cell.trials, [](const Trial& trial) { return !trial.pilot; })));
  }
  if (numbers.size() != 1) return " of the trials";
  return " of " + plural(*numbers.begin(), "trial");
}

std::string units_text(const Result& result, const Judgement& judgement) {
  std::set<std::string> workloads;
  std::set<std::size_t> batches;
  for (const Configuration& configuration : judgement.configurations) {
    workloads.insert(configuration.workload);
    batches.insert(configuration.batch_size);
  }
  std::string what = workloads.size() == 1 ? *workloads.begin() : "";
  if (batches.size() == 1) what += fmt::format("{}batches of {}", what.empty() ? "" : ", ", *batches.begin());
  const std::string trials = trials_text(result);
  const std::string spread = trials == " of 1 trial" ? trials : ", mean ± standard deviation" + trials;
  return fmt::format("{}{}samples/s{}", what, what.empty() ? "" : ": ", spread);
}

double speed_of(const Judgement& judgement, const Configuration& configuration) {
  const auto cell = configuration.full ? configuration.full : configuration.io;
  const auto rate = cell ? judgement.cells[*cell].samples_per_second : std::nullopt;
  return rate ? rate->mean : 0;
}

// Which configuration deserves a row before others: what the verdict and the recommendation are about, and then those
// that the recommendation is compared with by name.
std::size_t place_of(const Headline& headline, std::size_t configuration) {
  if (configuration == headline.configuration) return 0;
  if (configuration == headline.fastest) return 1;
  const auto named = std::ranges::find(headline.alternatives, configuration, &Alternative::configuration);
  if (named == headline.alternatives.end()) return 4;
  return named->equal ? 2 : 3;
}

// Indices of the configurations of a headline that have a row, in their order. Of equal places the fastest come first.
std::vector<std::size_t> rows_of(const Judgement& judgement, const Headline& headline, std::size_t most) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < judgement.configurations.size(); ++i) {
    const Configuration& one = judgement.configurations[i];
    if (one.workload == headline.workload && one.task == headline.task) found.push_back(i);
  }
  std::ranges::stable_sort(found, {}, [&](std::size_t i) {
    return std::pair(place_of(headline, i), -speed_of(judgement, judgement.configurations[i]));
  });
  if (found.size() > most) found.resize(most);
  std::ranges::sort(found);
  return found;
}

// How many of them each headline has.
std::size_t most_rows(const Judgement& judgement) {
  return std::max<std::size_t>(1, kMostRows / judgement.headlines.size());
}

std::string ceiling_share(const Judgement& judgement, std::optional<std::size_t> cell) {
  const auto found = cell ? judgement.cells[*cell].load_line : std::nullopt;
  if (!found || !found->ceiling) return "-";
  if (found->line.efficiency.ci95 && !telling_share(found->line.efficiency)) return "noisy";
  const double share = 100 * found->line.efficiency.value;
  return fmt::format("{:.{}f} %", share, share >= 9.95 ? 0 : share >= 0.995 ? 1 : 2);
}

// One word where no figure can be given: more of them would push another column out.
std::string short_stall_text(const Verdict& verdict) {
  if (!verdict.stall) return "-";
  return verdict.stall->ci95 && !telling_share(*verdict.stall) ? "noisy" : stall_text(*verdict.stall);
}

std::string table_of(const Result& result, const Judgement& judgement, std::size_t width) {
  std::vector<Row> rows{{"workload", "loader", "batch", "further", "IO", "ceiling", "SYNTHETIC", "FULL", "stall"}};
  const auto rate = [&](const std::optional<std::size_t>& cell) -> std::string {
    if (!cell) return "-";
    if (result.cells[*cell].error && result.cells[*cell].trials.empty()) return "failed";
    return short_rate_text(judgement.cells[*cell].samples_per_second);
  };
  for (const Headline& headline : judgement.headlines) {
    for (const std::size_t row : rows_of(judgement, headline, most_rows(judgement))) {
      const Configuration& configuration = judgement.configurations[row];
      rows.push_back({configuration.workload, loader_text(configuration.loader, configuration.workers),
                      fmt::format("{}", configuration.batch_size),
                      configuration.further.empty() ? "-" : axes_words(configuration.further), rate(configuration.io),
                      ceiling_share(judgement, configuration.io), rate(configuration.synthetic),
                      rate(configuration.full), short_stall_text(configuration.verdict)});
    }
  }
  if (rows.size() == 1) return "";
  // What the line above says for all rows, or no row says.
  for (std::size_t column = rows[0].size(); column-- > 0;) {
    const bool same = std::ranges::all_of(rows.begin() + 1, rows.end(),
                                          [&](const Row& row) { return row[column] == rows[1][column]; });
    const bool empty = same && rows[1][column] == "-";
    if (!empty && !(same && (column == 0 || column == 2))) continue;
    for (Row& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
  TableShape shape{.left = {},
                   .constant = {"further"},
                   .expendable = {"ceiling", "SYNTHETIC", "stall", "IO"},
                   .names = {"workload", "loader"},
                   .intervals = {"stall"}};
  for (std::size_t column = 0; column < rows[0].size(); ++column) {
    const std::string& header = rows[0][column];
    if (header == "workload" || header == "loader" || header == "further") shape.left.push_back(column);
  }
  std::string text = fitted(rows, shape, width);
  if (const std::size_t others = judgement.configurations.size() + 1 - rows.size(); others > 0) {
    text += fmt::format("and {}\n", plural(others, "more configuration"));
  }
  return text;
}

// Lines of a terminal.
std::size_t height_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(wrapped(text, kSummaryColumns), '\n'));
}

// From all words to the fewest that still say what to do.
struct Wording {
  std::string Verdict::*verdict;
  OthersShown others;
};
constexpr std::array kWordings{Wording{&Verdict::brief, OthersShown::kAll},
                               Wording{&Verdict::briefest, OthersShown::kAll},
                               Wording{&Verdict::briefest, OthersShown::kAsFast}};

// `words`: which of a verdict's.
std::string verdicts_text(const Judgement& judgement, std::string Verdict::*words) {
  std::string text;
  for (const Headline& headline : judgement.headlines) {
    const Configuration& configuration = judgement.configurations[headline.configuration];
    text += fmt::format("{}{}: {}",
                        judgement.headlines.size() > 1 ? subject_words(headline.workload, headline.task) + ", " : "",
                        row_name(judgement, rows_of(judgement, headline, most_rows(judgement)), headline.configuration),
                        configuration.verdict.*words);
    for (const Configuration& other : judgement.configurations) {
      if (other.cold_start && other.cold_start->warm == headline.configuration) text += other.cold_start->sentence;
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string summary_text(const Result& result, const Judgement& whole, std::size_t width) {
  Judgement judgement = whole;
  if (judgement.headlines.size() > kMostRows) {
    judgement.headlines.erase(judgement.headlines.begin() + kMostRows, judgement.headlines.end());
  }
  width = std::min(width, kSummaryColumns);
  // A run of only SYNTHETIC has no loader, so it has no configurations, and a short table. Where all that loads failed,
  // the table shows what did not.
  if (judgement.configurations.empty() || judgement.headlines.empty())
    return wrapped(setting_text(result) + '\n' + table_text(result, judgement, width) + stopped_text(result, judgement),
                   width);
  const std::string head = fmt::format("{}\n{}\n{}{}{}\n", head_text(result), units_text(result, judgement),
                                       table_of(result, judgement, width), ranks_text(result), staged_text(result));
  const std::size_t below = height_of(warning_names_text(judgement)) + 1;  // and the result's line
  std::string text;
  for (const Wording& wording : kWordings) {
    text = head + verdicts_text(judgement, wording.verdict) + stragglers_text(result, judgement) +
           stopped_text(result, judgement) + recommendation_text(result, judgement, wording.others);
    if (judgement.headlines.size() > 1 || height_of(text) + below <= kSummaryLines) break;
  }
  if (const std::size_t others = whole.headlines.size() - judgement.headlines.size(); others > 0) {
    text += fmt::format("and {}\n", plural(others, "more verdict"));
  }
  const bool checked = result.options.check_verdict || !result.checks.empty();
  for (const std::string& part : {checked ? predictions_text(result, judgement) : "", search_text(result, judgement),
                                  best_text(result, judgement)}) {
    if (!part.empty()) text += '\n' + part;
  }
  return wrapped(text, width);
}

std::string warning_names_text(const Judgement& judgement) {
  std::set<std::string> kinds;
  for (const Warning& warning : judgement.warnings) kinds.insert(warning.id);
  return kinds.empty() ? "" : wrapped(fmt::format("warnings: {}\n", fmt::join(kinds, ", ")), kSummaryColumns);
}

std::string result_text(const std::string& file) {
  const std::string named = fmt::format("result: {}", printable(file));
  constexpr std::string_view kDetails = "(details: `loadline report`)";
  const bool fits = columns_of(named) + 1 + kDetails.size() <= kSummaryColumns;
  return fmt::format("{}{}{}\n", named, fits ? " " : "\n  ", kDetails);
}

}  // namespace loadline
