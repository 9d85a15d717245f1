// How changes are worded wherever results are compared. Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/diff.h"

namespace loadline {

Estimate estimate_of(const Ratio& ratio);

// "12 ± 3 % slower", "2.31 ± 0.05 times as fast".
std::string change_text(const Estimate& ratio, const Metric& metric);

// For a column: "-12 ± 3 %", "x 2.31 ± 0.05".
std::string signed_change(const Estimate& ratio);

// "0.012", "< 0.001"; in a sentence "p = 0.012", "p < 0.001".
std::string p_text(double p);
std::string p_sentence(double p);

// A value of the metric for a column, in its unit; and that unit.
std::string value_text(const std::optional<Summary>& summary, const Metric& metric);
std::string_view unit_text(const Metric& metric);

// How two partners differ: "loader hdf5 -> hdf5-mmap, workers 2 -> 1", after "the best of each" or "where FULL is the
// best of each" where that is how they were matched; empty where their settings are equal.
std::string partners_text(const CellDiff& cell);

// "stall 56 ± 1 % -> 0.1 ± 0.2 %, bound: loader -> compute"; where the step differs, also the factors of the change
// that the compute and loading gave.
std::string shares_text(const Shares& shares);
// "the compute gave x 2.86 ± 0.01 (SYNTHETIC), loading x 0.63 ± 0.01 (utilisation)".
std::string factors_text(const Shares& shares);

// Lines below a table, under a title. Leaves out empty lists; of a long list shows the first items and how many more
// there are.
struct List {
  std::string title;
  std::vector<std::string> items;
};
std::vector<List> shortened(std::vector<List> lists);
std::string lists_text(const std::vector<List>& lists);
std::string lists_markdown(const std::vector<List>& lists);

// "CPU: A -> B" for each difference.
std::vector<std::string> texts_of(const std::vector<Difference>& differences);

// A table in the Markdown of code hosts; the first row is its head, and `rule` is the line below that.
std::string markdown_table(const std::vector<std::vector<std::string>>& rows, std::string_view rule);

// Lines of text as a list.
std::string markdown_list(std::string_view lines);

}  // namespace loadline
