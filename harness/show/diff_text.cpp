#include "harness/show/diff_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "harness/judge/phrase.h"
#include "harness/show/columns.h"
#include "harness/show/table.h"

namespace loadline {
namespace {

constexpr std::array kWorstFirst{Change::kRegression, Change::kInconclusive, Change::kImprovement, Change::kEquivalent};

// Names beyond these say no more than how many there are.
constexpr std::size_t kMostListed = 20;

std::optional<Interval> mapped(const std::optional<Interval>& interval, double (*map)(double)) {
  if (!interval) return std::nullopt;
  const auto [low, high] = std::minmax({map(interval->low), map(interval->high)});
  return Interval{low, high};
}

Estimate estimate_of(const Ratio& ratio) {
  return {ratio.value, ratio.ci95};
}

// Beyond a factor of two a percentage is no longer what a person says.
bool is_large(double ratio) {
  return ratio > 2;
}

std::string p_text(double p) {
  return p < 0.001 ? "< 0.001" : fmt::format("{:.{}f}", p, p < 0.1 ? 3 : 2);
}

// "p = 0.012", "p < 0.001".
std::string p_sentence(double p) {
  return fmt::format("p {}{}", p < 0.001 ? "" : "= ", p_text(p));
}

std::string with_p(const CellDiff& cell, const Metric& metric) {
  const std::string change = change_text(estimate_of(cell.comparison->ratio), metric);
  return cell.adjusted_p ? fmt::format("{} ({})", change, p_sentence(*cell.adjusted_p)) : change;
}

// "is", but for a metric that is not simply how fast the cell is.
std::string subject(const CellDiff& cell, const Metric& metric) {
  if (metric.unit == Unit::kPerSecond) return cell.name + " is";
  return fmt::format("{}: {} is", cell.name, metric.name);
}

std::string inconclusive_sentence(const CellDiff& cell, const ResultDiff& diff) {
  if (!cell.comparison) return fmt::format("{}: {}", cell.name, cell.obstacle);
  std::string text = fmt::format("{} {}", subject(cell, *diff.metric), with_p(cell, *diff.metric));
  if (!cell.obstacle.empty()) return fmt::format("{}: {}", text, cell.obstacle);
  const auto measured = static_cast<double>(std::min(cell.base_summary->count, cell.changed_summary->count));
  const auto& needed = cell.comparison->trials_needed;
  if (needed && *needed > measured) {
    text += fmt::format("; to see {} it would need {:.0f} {}", plain_percent(cell.margin), *needed,
                        diff.paired ? "pairs" : "trials a side");
  } else {
    text += fmt::format(", which may or may not be more than {}", plain_percent(cell.margin));
  }
  return text;
}

std::string sentence_of(const CellDiff& cell, const ResultDiff& diff) {
  const Metric& metric = *diff.metric;
  switch (cell.change) {
    case Change::kEquivalent:
      return fmt::format("{} the same within {} ({})", subject(cell, metric), plain_percent(cell.margin),
                         change_text(estimate_of(cell.comparison->ratio), metric));
    case Change::kInconclusive: return inconclusive_sentence(cell, diff);
    default: return fmt::format("{} {}", subject(cell, metric), with_p(cell, metric));
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
  return counts.empty() ? "" : fmt::format("beside what decides: {}\n", tally(counts));
}

std::string bytes_text(double bytes) {
  return fmt::format("{:.1f} MiB", bytes / (1 << 20));
}

std::string value_text(const std::optional<Summary>& summary, const Metric& metric) {
  if (metric.unit == Unit::kPerSecond || !summary) return rate_text(summary);
  const auto one = metric.unit == Unit::kSeconds ? duration : bytes_text;
  return summary->stddev ? fmt::format("{} ± {}", one(summary->mean), one(*summary->stddev)) : one(summary->mean);
}

// "-12 ± 3 %", "x 2.31 ± 0.05".
std::string signed_change(const Estimate& ratio) {
  if (is_large(ratio.value)) return "x " + factor(ratio);
  const auto less_one = [](double value) { return value - 1; };
  const std::string text = percent({ratio.value - 1, mapped(ratio.ci95, less_one)});
  return ratio.value > 1 ? "+" + text : text;
}

std::string_view unit_text(const Metric& metric) {
  return metric.unit == Unit::kPerSecond ? "samples/s" : metric.name;
}

// With the header as the first row.
std::vector<Row> rows_of(const ResultDiff& diff) {
  std::vector<Row> rows;
  rows.push_back(diff.along.empty() ? Row{"", "cell", "base", "new", "change", "p", "verdict"}
                                    : Row{diff.along, "cell", "base", "other", "change", "p", "verdict"});
  for (const CellDiff& cell : diff.cells) {
    const std::string first =
        diff.along.empty() ? (cell.gate ? "*" : "") : fmt::format("{} against {}", cell.changed_value, cell.base_value);
    rows.push_back({first, cell.name, value_text(cell.base_summary, *diff.metric),
                    value_text(cell.changed_summary, *diff.metric),
                    cell.comparison ? signed_change(estimate_of(cell.comparison->ratio)) : "-",
                    cell.adjusted_p ? p_text(*cell.adjusted_p) : "-", std::string(name(cell.change))});
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

std::string legend(const ResultDiff& diff) {
  if (!diff.along.empty()) return fmt::format("p: adjusted by Benjamini-Hochberg; alpha {}", diff.alpha);
  return fmt::format("*: decides; p: adjusted, of these by Holm, of the others by Benjamini-Hochberg; alpha {}",
                     diff.alpha);
}

struct List {
  std::string title;
  std::vector<std::string> items;
};

std::vector<std::string> names_of(const std::vector<Unmatched>& cells) {
  std::vector<std::string> names;
  for (const Unmatched& cell : cells) names.push_back(cell.gate ? cell.name + " (decides)" : cell.name);
  return names;
}

std::vector<std::string> texts_of(const std::vector<Difference>& differences) {
  std::vector<std::string> texts;
  for (const Difference& difference : differences) {
    texts.push_back(fmt::format("{}: {} -> {}", difference.what, difference.base, difference.changed));
  }
  return texts;
}

// What there is beside the table, without empty lists.
std::vector<List> lists_of(const ResultDiff& diff) {
  std::vector<List> lists{{"only in " + diff.base, names_of(diff.gone)},
                          {"only in " + diff.changed, names_of(diff.added)},
                          {"compared all the same, though unlike in", texts_of(diff.unlike)},
                          {"also different", texts_of(diff.noteworthy)},
                          {"note", diff.notes}};
  std::erase_if(lists, [](const List& list) { return list.items.empty(); });
  for (List& list : lists) {
    if (list.items.size() <= kMostListed) continue;
    const std::size_t left_out = list.items.size() - kMostListed;
    list.items.resize(kMostListed);
    list.items.push_back(fmt::format("and {} more", left_out));
  }
  return lists;
}

std::string text_of(const ResultDiff& diff) {
  const std::vector<std::size_t> left{0, 1, 6};
  std::string text =
      fmt::format("{}\n{}\n\n{}{}\n", verdict_text(diff), heading(diff), aligned(rows_of(diff), left), legend(diff));
  for (const List& list : lists_of(diff)) {
    text += fmt::format("\n{}\n", list.title);
    for (const std::string& item : list.items) text += fmt::format("  {}\n", item);
  }
  return text;
}

// Of a cell of a table: a bar would end it.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '|' ? "\\|" : std::string(1, c);
  return safe;
}

std::string markdown_table(const std::vector<Row>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::string& item : rows[i]) text += fmt::format("| {} ", escaped(item));
    text += "|\n";
    if (i == 0) text += "|---|---|---:|---:|---:|---:|---|\n";
  }
  return text;
}

std::string markdown_of(const ResultDiff& diff) {
  std::string text;
  const std::string verdicts = verdict_text(diff);
  for (std::size_t begin = 0; begin < verdicts.size();) {
    const std::size_t end = verdicts.find('\n', begin);
    text += fmt::format("- {}\n", verdicts.substr(begin, end - begin));
    begin = end + 1;
  }
  text += fmt::format("\n{}\n\n{}\n{}\n", heading(diff), markdown_table(rows_of(diff)), legend(diff));
  for (const List& list : lists_of(diff)) {
    text += fmt::format("\n{}:\n\n", list.title);
    for (const std::string& item : list.items) text += fmt::format("- {}\n", item);
  }
  return text;
}

std::string each(const std::vector<ResultDiff>& diffs, std::string (*one)(const ResultDiff&)) {
  std::vector<std::string> texts;
  for (const ResultDiff& diff : diffs) texts.push_back(one(diff));
  return fmt::format("{}", fmt::join(texts, "\n"));
}

}  // namespace

std::string change_text(const Estimate& ratio, const Metric& metric) {
  if (is_large(ratio.value)) return fmt::format("{} times as {}", factor(ratio), metric.scale);
  const bool more = ratio.value > 1;
  const auto excess = [](double value) { return value - 1; };
  const auto shortfall = [](double value) { return 1 - value; };
  const Estimate share = more ? Estimate{ratio.value - 1, mapped(ratio.ci95, excess)}
                              : Estimate{1 - ratio.value, mapped(ratio.ci95, shortfall)};
  return fmt::format("{} {}", percent(share), more == metric.higher_is_better ? metric.better : metric.worse);
}

std::string verdict_text(const ResultDiff& diff) {
  if (!diff.along.empty()) return along_text(diff);
  std::string text;
  for (const Change change : kWorstFirst) {
    for (const CellDiff& cell : diff.cells) {
      if (cell.gate && cell.change == change) text += fmt::format("{}: {}\n", name(change), sentence_of(cell, diff));
    }
    if (change != Change::kInconclusive) continue;
    for (const Unmatched& cell : diff.gone) {
      if (cell.gate) text += fmt::format("inconclusive: {} is not in {}\n", cell.name, diff.changed);
    }
  }
  if (text.empty()) text = fmt::format("inconclusive: {} has no cell that decides\n", diff.base);
  return text + beside_text(diff);
}

std::string diff_text(const std::vector<ResultDiff>& diffs) {
  return each(diffs, text_of);
}

std::string diff_markdown(const std::vector<ResultDiff>& diffs) {
  return each(diffs, markdown_of);
}

}  // namespace loadline
