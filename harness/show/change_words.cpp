#include "harness/show/change_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/judge/changes.h"
#include "harness/judge/phrase.h"
#include "harness/show/columns.h"
#include "harness/show/table.h"

namespace loadline {
namespace {

std::optional<Interval> mapped(const std::optional<Interval>& interval, double (*map)(double)) {
  if (!interval) return std::nullopt;
  const auto [low, high] = std::minmax({map(interval->low), map(interval->high)});
  return Interval{low, high};
}

// Beyond a factor of two people no longer use percentages.
bool is_large(double ratio) {
  return ratio > 2;
}

bool says_nothing(const Estimate& ratio) {
  return ratio.ci95 && !telling_factor(ratio);
}

// "0.0 ± 0.3 %": no digit of the figure says which way.
bool shows_nothing(std::string_view share) {
  return share.substr(0, share.find(' ')).find_first_of("123456789") == std::string_view::npos;
}

// Although its size is not known, its direction is.
bool is_one_sided(const Estimate& ratio) {
  return ratio.ci95->low > 1 || ratio.ci95->high < 1;
}

std::string bytes_text(double bytes) {
  return fmt::format("{:.1f} MiB", bytes / (1 << 20));
}

std::string joules_words(double joules) {
  return fmt::format("{} J", plain_number(joules, 4));
}

// Text for a table cell, which a bar would end.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '|' ? "\\|" : std::string(1, c);
  return safe;
}

}  // namespace

Estimate estimate_of(const Ratio& ratio) {
  return {ratio.value, ratio.ci95};
}

std::string change_text(const Estimate& ratio, const Metric& metric) {
  if (says_nothing(ratio) && is_one_sided(ratio)) {
    const bool more = ratio.ci95->low > 1;
    const std::string_view word = more == metric.higher_is_better ? metric.better : metric.worse;
    if (more) return fmt::format("at least {} times as {}", factor_at_least(ratio.ci95->low), metric.scale);
    return fmt::format("at least {} {}", percent_at_least(1 - ratio.ci95->high), word);
  }
  if (says_nothing(ratio)) return fmt::format("too noisy to say how much {} or {}", metric.better, metric.worse);
  const auto times = [&] { return fmt::format("{} times as {}", factor(ratio), metric.scale); };
  if (is_large(ratio.value)) return times();
  const bool more = ratio.value > 1;
  const auto excess = [](double value) { return value - 1; };
  const auto shortfall = [](double value) { return 1 - value; };
  const Estimate share = more ? Estimate{ratio.value - 1, mapped(ratio.ci95, excess)}
                              : Estimate{1 - ratio.value, mapped(ratio.ci95, shortfall)};
  if (share.ci95 && !telling_share(share)) return times();
  const std::string text = percent(share);
  if (shows_nothing(text)) return fmt::format("{} {} or {}", text, metric.better, metric.worse);
  return fmt::format("{} {}", text, more == metric.higher_is_better ? metric.better : metric.worse);
}

std::string signed_change(const Estimate& ratio) {
  if (says_nothing(ratio) && is_one_sided(ratio)) {
    return ratio.ci95->low > 1 ? fmt::format("x {} or more", factor_at_least(ratio.ci95->low))
                               : fmt::format("-{} or more", percent_at_least(1 - ratio.ci95->high));
  }
  if (says_nothing(ratio)) return std::string(kTooNoisy);
  const auto less_one = [](double value) { return value - 1; };
  const Estimate share{ratio.value - 1, mapped(ratio.ci95, less_one)};
  if (is_large(ratio.value) || (share.ci95 && !telling_share(share))) return "x " + factor(ratio);
  const std::string text = percent(share);
  return ratio.value > 1 && !shows_nothing(text) ? "+" + text : text;
}

std::string p_text(double p) {
  return p < 0.001 ? "< 0.001" : fmt::format("{:.{}f}", p, p < 0.1 ? 3 : 2);
}

std::string p_sentence(double p) {
  return fmt::format("p {}{}", p < 0.001 ? "" : "= ", p_text(p));
}

std::string value_text(const std::optional<Summary>& summary, const Metric& metric) {
  if (metric.unit == Unit::kPerSecond || !summary) return rate_text(summary);
  std::string (*const one)(double) = metric.unit == Unit::kSeconds  ? duration
                                     : metric.unit == Unit::kJoules ? joules_words
                                                                    : bytes_text;
  return summary->stddev ? fmt::format("{} ± {}", one(summary->mean), one(*summary->stddev)) : one(summary->mean);
}

std::string_view unit_text(const Metric& metric) {
  return metric.unit == Unit::kPerSecond ? "samples/s" : metric.name;
}

std::string partners_text(const CellDiff& cell) {
  std::string changes = changes_text(cell.changes);
  if (cell.by != MatchedBy::kBest || !cell.base_summary || !cell.changed_summary) return changes;
  const std::string_view best = cell.best_of_some ? "the best of several" : "the best of each";
  const std::string chosen =
      cell.best_in == cell.mode ? std::string(best) : fmt::format("where {} is {}", name(*cell.best_in), best);
  return changes.empty() ? chosen : fmt::format("{}, {}", chosen, changes);
}

// Of a result that lacks a mode which tells it, such as IO.
std::string_view bound_words(Bound bound) {
  return bound == Bound::kIncomplete ? "not measured" : name(bound);
}

std::string shares_text(const Shares& shares) {
  std::string text;
  if (shares.before.stall && shares.after.stall) {
    text = fmt::format("stall {} -> {}, ", stall_text(*shares.before.stall), stall_text(*shares.after.stall));
  }
  const bool same = shares.before.bound == shares.after.bound;
  text += same ? fmt::format("bound: {} as before", bound_words(shares.before.bound))
               : fmt::format("bound: {} -> {}", bound_words(shares.before.bound), bound_words(shares.after.bound));
  return shares.other_step ? fmt::format("{}; of the change, {}", text, factors_text(shares)) : text;
}

std::string factors_text(const Shares& shares) {
  const auto times = [](const Estimate& share) {
    return says_nothing(share) ? std::string(kTooNoisy) : "x " + factor(share);
  };
  return fmt::format("the compute gave {} (SYNTHETIC), loading {} (utilisation)", times(shares.compute),
                     times(shares.loading));
}

std::vector<List> shortened(std::vector<List> lists) {
  constexpr std::size_t kMostListed = 20;
  std::erase_if(lists, [](const List& list) { return list.items.empty(); });
  for (List& list : lists) {
    if (list.items.size() <= kMostListed) continue;
    const std::size_t left_out = list.items.size() - kMostListed;
    list.items.resize(kMostListed);
    list.items.push_back(fmt::format("and {} more", left_out));
  }
  return lists;
}

std::string lists_text(const std::vector<List>& lists) {
  std::string text;
  for (const List& list : lists) {
    text += fmt::format("\n{}\n", list.title);
    for (const std::string& item : list.items) text += fmt::format("  {}\n", item);
  }
  return text;
}

std::string lists_markdown(const std::vector<List>& lists) {
  std::string text;
  for (const List& list : lists) {
    text += fmt::format("\n{}:\n\n", list.title);
    for (const std::string& item : list.items) text += fmt::format("- {}\n", item);
  }
  return text;
}

std::vector<std::string> texts_of(const std::vector<Difference>& differences) {
  std::vector<std::string> texts;
  for (const Difference& difference : differences) {
    texts.push_back(fmt::format("{}: {} -> {}", difference.what, difference.base, difference.changed));
  }
  return texts;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows, std::string_view rule) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::string& item : rows[i]) text += fmt::format("| {} ", escaped(item));
    text += "|\n";
    if (i == 0) text += fmt::format("{}\n", rule);
  }
  return text;
}

std::string markdown_list(std::string_view lines) {
  std::string text;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    text += fmt::format("- {}\n", lines.substr(begin, end - begin));
    begin = end + 1;
  }
  return text;
}

}  // namespace loadline
