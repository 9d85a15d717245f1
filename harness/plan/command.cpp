#include "harness/plan/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <variant>

#include "harness/plan/settings.h"
#include "loaders/names.h"
#include "loaders/printable.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

// Options that are lists, or have lists as axes, or differ between merged results: the cell has the one value to use.
bool is_of_the_cell(const RunOptions& options, const Cell& cell, const OptionRow& row) {
  constexpr std::array kLists{"workload", "loader", "workers", "batch-size"};
  return std::ranges::find(kLists, row.name) != kLists.end() ||
         std::ranges::find(options.axes, row.name, &Axis::option) != options.axes.end() ||
         std::ranges::find(cell.axes, key_of(row)) != cell.axes.end();
}

// In POSIX since 2024, and in bash, ksh and zsh before: bytes that cannot be shown are escaped.
std::string ansi_c_quoted(std::string_view text) {
  std::string quoted = "$'";
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '\'' && c != '\\';
    quoted += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return quoted + "'";
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  if (printable(text) != text) return ansi_c_quoted(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_options(const RunOptions& options, const Cell& cell, DataKinds data) {
  const RunOptions standard;
  std::string text;
  for (const OptionRow& row : run_options()) {
    if (!is_for_training(row) || row.name == "output" || row.name == "quiet") continue;
    if ((row.data & data) == 0) continue;
    const bool of_the_cell = is_of_the_cell(options, cell, row);
    const OptionValue value =
        of_the_cell ? setting_named("setting", key_of(row)).read(cell) : read_option(options, row);
    // A value from a list is printed even if it equals the default, because the default may depend on the machine.
    if (value == OptionValue() || (!of_the_cell && value == read_option(standard, row))) continue;
    const std::string separator = text.empty() ? "" : " ";
    if (row.value.empty()) {
      if (value == OptionValue(true)) text += fmt::format("{}--{}", separator, row.name);
    } else {
      text += fmt::format("{}--{} {}", separator, row.name, shell_quoted(as_option(value)));
    }
  }
  return text;
}

bool names_python(std::string_view name) {
  const auto colon = name.find(':');
  const std::string_view place = name.substr(0, colon);
  if (place.ends_with(".py")) return true;
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  return colon != std::string_view::npos && !place.empty() && std::ranges::all_of(place, is_word) &&
         std::ranges::all_of(name.substr(colon + 1), is_word) && place != "replay" &&
         std::ranges::find(computes(), place, &ComputeKind::name) == computes().end();
}

std::string_view program_of(const Cell& cell) {
  const bool in_python = (cell.loader && names_python(*cell.loader)) || names_python(cell.compute);
  return in_python ? "python3 -m loadline" : "loadline";
}

std::string run_command(const RunOptions& options, const Cell& cell, DataKinds data, bool takes_workers) {
  const bool no_workers = takes_workers && cell.workers == 0;
  return fmt::format("{} run {}{}", program_of(cell), command_options(options, cell, data),
                     no_workers ? " --workers 0" : "");
}

}  // namespace loadline
