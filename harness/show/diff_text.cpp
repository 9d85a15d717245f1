#include "harness/show/diff_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/judge/phrase.h"
#include "harness/show/change_words.h"
#include "harness/show/columns.h"

namespace loadline {
namespace {

constexpr std::array kWorstFirst{Change::kRegression, Change::kInconclusive, Change::kImprovement, Change::kEquivalent};

// The cell's name if both sides share it, otherwise what the cell is about.
std::string subject(const CellDiff& cell, const Metric& metric) {
  const std::string what =
      partners_text(cell).empty() ? cell.name : fmt::format("{} {}", cell.workload, name(cell.mode));
  // "is", except for a metric other than how fast the cell is.
  return metric.unit == Unit::kPerSecond ? what + " is" : fmt::format("{}: {} is", what, metric.name);
}

bool has_set_aside(const CellDiff& cell) {
  return cell.busy.busy > 0 && cell.busy.may_be_set_aside();
}

// ", judged by the 3 of 5 pairs in which other work took less than 5 % of the time of all CPUs"; empty if all count.
std::string quiet_pairs_text(const CellDiff& cell) {
  if (!has_set_aside(cell)) return "";
  return fmt::format(", judged by the {} of {} in which other work took less than {} of the time of all CPUs",
                     cell.busy.pairs - cell.busy.busy, plural(cell.busy.pairs, "pair"), plain_percent(kBusyPairShare));
}

// "10 ± 2 % slower: workers 2 -> 1 (p < 0.001)".
std::string change_of(const CellDiff& cell, const Metric& metric) {
  std::string text = change_text(estimate_of(cell.comparison->ratio), metric);
  if (const std::string partners = partners_text(cell); !partners.empty()) text += ": " + partners;
  if (cell.adjusted_p) text += fmt::format(" ({})", p_sentence(*cell.adjusted_p));
  return text + quiet_pairs_text(cell);
}

double largest_loss(double margin) {
  return 1 - 1 / (1 + margin);
}

// "the margin, here 4.94 %": a ratio that is lower by the factor of a margin of 5.2 % is 4.94 % lower.
std::string margin_downwards(double margin) {
  return fmt::format("the margin, here {:.3g} %", 100 * largest_loss(margin));
}

// ", more than the margin, here 4.85 %", where the printed change seems to be within the margin.
std::string margin_exceeded(const CellDiff& cell) {
  const double lost = 1 - cell.comparison->ratio.value;
  return lost > largest_loss(cell.margin) && lost <= cell.margin
             ? fmt::format(", more than {}", margin_downwards(cell.margin))
             : "";
}

// How many trials would decide, if more than were measured.
std::optional<double> more_trials(const CellDiff& cell) {
  const auto measured = static_cast<double>(std::min(cell.base_summary->count, cell.changed_summary->count));
  const auto& needed = cell.comparison->trials_needed;
  return needed && *needed > measured ? needed : std::nullopt;
}

// "5 trials per side".
std::string trials_text(double count, const CellDiff& cell, const ResultDiff& diff) {
  return fmt::format("{:.0f} {}", count,
                     has_set_aside(cell) ? "such pairs"
                     : diff.paired       ? "pairs"
                                         : "trials per side");
}

// "may or may not exceed 3 %".
std::string doubt_text(const CellDiff& cell) {
  constexpr double kLastDigit = 0.0005;  // half a tenth of a per cent: less makes no difference to a printed change
  const bool lower = cell.comparison->ratio.value < 1 && cell.margin - largest_loss(cell.margin) >= kLastDigit;
  return fmt::format("may or may not exceed {}", lower ? margin_downwards(cell.margin) : plain_percent(cell.margin));
}

std::string inconclusive_sentence(const CellDiff& cell, const ResultDiff& diff) {
  if (!cell.comparison) return fmt::format("{}: {}", cell.name, cell.obstacle);
  const std::string text = fmt::format("{} {}", subject(cell, *diff.metric), change_of(cell, *diff.metric));
  if (!cell.obstacle.empty()) return fmt::format("{}: {}", text, cell.obstacle);
  if (const auto needed = more_trials(cell)) {
    return fmt::format("{}; detecting {} would take {}", text, plain_percent(cell.margin),
                       trials_text(*needed, cell, diff));
  }
  return fmt::format("{}, which {}", text, doubt_text(cell));
}

std::string sentence_of(const CellDiff& cell, const ResultDiff& diff) {
  const Metric& metric = *diff.metric;
  switch (cell.change) {
    case Change::kEquivalent: {
      const std::string partners = partners_text(cell);
      return fmt::format("{} the same within {} ({}){}{}", subject(cell, metric), plain_percent(cell.margin),
                         change_text(estimate_of(cell.comparison->ratio), metric),
                         partners.empty() ? "" : ": " + partners, quiet_pairs_text(cell));
    }
    case Change::kInconclusive: return inconclusive_sentence(cell, diff);
    default: return fmt::format("{} {}{}", subject(cell, metric), change_of(cell, metric), margin_exceeded(cell));
  }
}

std::string tally(const std::map<Change, std::size_t>& counts) {
  std::vector<std::string> texts;
  for (const Change change : kWorstFirst) {
    const auto found = counts.find(change);
    if (found == counts.end()) continue;
    const bool countable = change == Change::kRegression || change == Change::kImprovement;
    texts.push_back(countable ? plural(found->second, name(change))
                              : fmt::format("{} {}", found->second, name(change)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// A line for each value against the base's.
std::string along_text(const ResultDiff& diff) {
  std::vector<std::pair<std::string, std::map<Change, std::size_t>>> lines;
  for (const CellDiff& cell : diff.cells) {
    const std::string subject = fmt::format("{} {} against {}", diff.along, cell.changed_value, cell.base_value);
    auto line = std::ranges::find(lines, subject, &std::pair<std::string, std::map<Change, std::size_t>>::first);
    if (line == lines.end()) line = lines.insert(line, {subject, {}});
    ++line->second[cell.change];
  }
  std::string text;
  for (const auto& [subject, counts] : lines) text += fmt::format("{}: {}\n", subject, tally(counts));
  return text;
}

std::string beside_text(const ResultDiff& diff) {
  std::map<Change, std::size_t> counts;
  for (const CellDiff& cell : diff.cells) {
    if (!cell.gate) ++counts[cell.change];
  }
  return counts.empty() ? "" : fmt::format("cells that do not decide: {}\n", tally(counts));
}

// Whether the changes of FULL come from the compute or from loading.
std::string shares_lines(const ResultDiff& diff) {
  std::string text;
  for (const CellDiff& cell : diff.cells) {
    if (cell.gate && cell.shares) text += fmt::format("{} FULL: {}\n", cell.workload, shares_text(*cell.shares));
  }
  return text;
}

std::string name_of(const CellDiff& cell) {
  const std::string partners = partners_text(cell);
  return partners.empty() ? cell.name : fmt::format("{}: {}", cell.shared_name, partners);
}

// A row that no sentence above the table explains.
bool needs_reason(const CellDiff& cell) {
  return cell.change == Change::kInconclusive && !cell.gate;
}

// Why a row is inconclusive, in words that suit all rows that are so for the same reason.
std::string reason_of(const CellDiff& cell, const ResultDiff& diff) {
  if (!cell.obstacle.empty() || !cell.comparison) return cell.obstacle;
  if (!more_trials(cell)) return fmt::format("the change {}", doubt_text(cell));
  double most = 0;
  for (const CellDiff& other : diff.cells) {
    if (!needs_reason(other) || !other.obstacle.empty() || !other.comparison) continue;
    if (has_set_aside(other) == has_set_aside(cell)) most = std::max(most, more_trials(other).value_or(0));
  }
  return fmt::format("detecting {} would take up to {}", plain_percent(cell.margin), trials_text(most, cell, diff));
}

// Reasons are the same if they differ only in their figures.
std::string without_figures(std::string reason) {
  std::erase_if(reason, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return reason;
}

// The reasons of all rows that need one.
class Reasons {
 public:
  explicit Reasons(const ResultDiff& diff) {
    for (const CellDiff& cell : diff.cells) {
      const std::string reason = needs_reason(cell) ? reason_of(cell, diff) : "";
      if (reason.empty()) {
        numbers_.push_back(0);
        continue;
      }
      const auto alike = [&](const Reason& one) { return without_figures(one.text) == without_figures(reason); };
      auto known = std::ranges::find_if(reasons_, alike);
      if (known == reasons_.end()) known = reasons_.insert(known, {.text = reason});
      if (known->text != reason) known->varies = true;
      numbers_.push_back(static_cast<std::size_t>(known - reasons_.begin()) + 1);
    }
  }

  // " [1]" for the verdict of the row with this index; empty if it needs no reason.
  std::string mark(std::size_t row) const { return numbers_[row] == 0 ? "" : fmt::format(" [{}]", numbers_[row]); }

  // A line for each reason.
  std::string legend() const {
    std::string text;
    for (std::size_t i = 0; i < reasons_.size(); ++i) {
      text += fmt::format("\n[{}]: {}{}", i + 1, reasons_[i].text,
                          reasons_[i].varies ? " (the first such row; others have other figures)" : "");
    }
    return text;
  }

 private:
  struct Reason {
    std::string text;
    bool varies = false;
  };

  std::vector<Reason> reasons_;
  std::vector<std::size_t> numbers_;  // of the reason of each row, from 1; 0: it needs none
};

// With the header as the first row.
std::vector<Row> rows_of(const ResultDiff& diff) {
  const Reasons reasons(diff);
  std::vector<Row> rows;
  rows.push_back(diff.along.empty() ? Row{"", "cell", "base", "new", "change", "p", "verdict"}
                                    : Row{diff.along, "cell", "base", "other", "change", "p", "verdict"});
  for (std::size_t i = 0; i < diff.cells.size(); ++i) {
    const CellDiff& cell = diff.cells[i];
    const std::string first =
        diff.along.empty() ? (cell.gate ? "*" : "") : fmt::format("{} against {}", cell.changed_value, cell.base_value);
    rows.push_back({first, name_of(cell), value_text(cell.base_summary, *diff.metric),
                    value_text(cell.changed_summary, *diff.metric),
                    cell.comparison ? signed_change(estimate_of(cell.comparison->ratio)) : "-",
                    cell.adjusted_p ? p_text(*cell.adjusted_p) : "-",
                    fmt::format("{}{}", name(cell.change), reasons.mark(i))});
  }
  return rows;
}

// What was compared with what, and how.
std::string heading(const ResultDiff& diff) {
  const std::string what = diff.along.empty() ? fmt::format("{} against {}", diff.changed, diff.base)
                                              : fmt::format("{} by {}", diff.base, diff.along);
  return fmt::format("{}{}: {}, mean ± standard deviation of the trials", what, diff.paired ? " in pairs" : "",
                     unit_text(*diff.metric));
}

// Why the interval of a change shows another decision than its p does.
enum class Disagreement : std::uint8_t { kOtherRows, kOtherLoad, kAlpha };

std::optional<Disagreement> disagreement_of(const CellDiff& cell, double alpha) {
  if (!cell.comparison || !cell.comparison->ratio.ci95 || !cell.comparison->ratio.p || !cell.adjusted_p) return {};
  const auto& [low, high] = *cell.comparison->ratio.ci95;
  const bool by_interval = low > 1 || high < 1;
  const bool alone = *cell.comparison->ratio.p < alpha;
  const bool together = *cell.adjusted_p < alpha;
  if (by_interval == together) return std::nullopt;
  if (alone != together) return Disagreement::kOtherRows;
  return cell.busy.may_be_set_aside() ? Disagreement::kAlpha : Disagreement::kOtherLoad;
}

std::string_view reason_text(Disagreement why) {
  switch (why) {
    case Disagreement::kOtherRows:
      return "its 95 % interval is that of the row alone; what counts is p, which allows for all rows judged together";
    case Disagreement::kOtherLoad:
      return "its 95 % interval includes what other work may have caused; what counts is p, which covers only the rest";
    case Disagreement::kAlpha: return "its interval is of 95 % whatever alpha is; what counts is p";
  }
  return "";
}

// Whether a row shows a change in one direction and means that differ in the other.
bool contradicts_means(const CellDiff& cell, const Metric& metric) {
  if (!cell.comparison || !cell.base_summary || !cell.changed_summary) return false;
  const double of_means = cell.changed_summary->mean - cell.base_summary->mean;
  return (cell.comparison->ratio.value - 1) * of_means < 0 &&
         value_text(cell.base_summary, metric) != value_text(cell.changed_summary, metric) &&
         std::string_view("+-x").find(signed_change(estimate_of(cell.comparison->ratio)).front()) !=
             std::string_view::npos;
}

std::string legend(const ResultDiff& diff) {
  std::string text =
      std::ranges::any_of(diff.cells, &CellDiff::gate)
          ? fmt::format("*: decides; p: adjusted, for these by Holm, for the others by Benjamini-Hochberg; alpha {}",
                        diff.alpha)
          : fmt::format("p: adjusted by Benjamini-Hochberg; alpha {}", diff.alpha);
  std::set<Disagreement> reasons;
  for (const CellDiff& cell : diff.cells) {
    if (const auto why = disagreement_of(cell, diff.alpha)) reasons.insert(*why);
  }
  for (const Disagreement why : reasons) text += fmt::format("\nchange: {}", reason_text(why));
  if (std::ranges::any_of(diff.cells, [&](const CellDiff& cell) { return contradicts_means(cell, *diff.metric); })) {
    text +=
        "\nchange: of geometric means, in which slow trials weigh more, so its sign may differ from that of the "
        "arithmetic means shown";
  }
  return text + Reasons(diff).legend();
}

std::vector<std::string> names_of(const std::vector<Unmatched>& cells) {
  std::vector<std::string> names;
  for (const Unmatched& cell : cells) names.push_back(cell.gate ? cell.name + " (decides)" : cell.name);
  return names;
}

// Which two cells represent a configuration that was chosen among several: all of its result, or those without a
// partner.
std::vector<std::string> chosen_pairs(const ResultDiff& diff, bool some) {
  std::vector<std::string> texts;
  for (const CellDiff& cell : diff.cells) {
    if (cell.by == MatchedBy::kBest && cell.best_in == cell.mode && cell.best_of_some == some && cell.base_summary &&
        cell.changed_summary) {
      texts.push_back(fmt::format("{} -> {}", cell.name, cell.changed_name));
    }
  }
  return texts;
}

// The lists below the table, without empty ones.
std::vector<List> lists_of(const ResultDiff& diff) {
  return shortened({{"the fastest of each result", chosen_pairs(diff, false)},
                    {"the fastest of several", chosen_pairs(diff, true)},
                    {"only in " + diff.base, names_of(diff.gone)},
                    {"only in " + diff.changed, names_of(diff.added)},
                    {"compared although they differ in", texts_of(diff.unlike)},
                    {"also different", texts_of(diff.noteworthy)},
                    {"note", diff.notes}});
}

std::string text_of_diff(const ResultDiff& diff, std::size_t width) {
  const TableShape shape{.left = {0, 1, 6},
                         .constant = {},
                         .expendable = {"p", "base", "new", "other", "change"},
                         .names = {"cell"},
                         .intervals = {"change"}};
  return fmt::format("{}\n{}\n\n{}{}\n{}", verdict_text(diff), heading(diff), fitted(rows_of(diff), shape, width),
                     legend(diff), lists_text(lists_of(diff)));
}

std::string markdown_of(const ResultDiff& diff, std::size_t) {
  return fmt::format("{}\n{}\n\n{}\n{}\n{}", markdown_list(verdict_text(diff)), heading(diff),
                     markdown_table(rows_of(diff), "|---|---|---:|---:|---:|---:|---|"), legend(diff),
                     lists_markdown(lists_of(diff)));
}

std::string each(const std::vector<ResultDiff>& diffs, std::string (*one)(const ResultDiff&, std::size_t),
                 std::size_t width) {
  std::vector<std::string> texts;
  for (const ResultDiff& diff : diffs) texts.push_back(one(diff, width));
  return fmt::format("{}", fmt::join(texts, "\n"));
}

}  // namespace

std::string verdict_text(const ResultDiff& diff) {
  if (!diff.along.empty()) return along_text(diff);
  std::string text;
  for (const std::string& sentence : diff.lost) text += fmt::format("missing: {}\n", sentence);
  for (const Change change : kWorstFirst) {
    for (const CellDiff& cell : diff.cells) {
      const bool said = cell.base_summary && cell.changed_summary;  // or it is among what was lost
      if (cell.gate && said && cell.change == change) {
        text += fmt::format("{}: {}\n", name(change), sentence_of(cell, diff));
      }
    }
  }
  if (text.empty()) {
    text = fmt::format("inconclusive: {} and {} have no cell in common that decides\n", diff.base, diff.changed);
  }
  return text + shares_lines(diff) + beside_text(diff);
}

std::string diff_text(const std::vector<ResultDiff>& diffs, std::size_t width) {
  return each(diffs, text_of_diff, width);
}

std::string diff_markdown(const std::vector<ResultDiff>& diffs) {
  return each(diffs, markdown_of, kUnlimited);
}

}  // namespace loadline
