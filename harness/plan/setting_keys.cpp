// Settings as text, for keys of equal cells and for names of cells.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "harness/plan/settings.h"
#include "harness/plan/word_lists.h"

namespace loadline {

std::string text_of(const SettingValue& value) {
  return std::visit(
      [](const auto& known) -> std::string {
        using T = std::decay_t<decltype(known)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "";
        } else if constexpr (std::is_same_v<T, std::string>) {
          return known;
        } else if constexpr (std::is_arithmetic_v<T>) {
          return fmt::format("{}", known);
        } else {
          return fmt::format("{}", fmt::join(known, ","));
        }
      },
      value);
}

std::string as_option(const SettingValue& value) {
  const bool* const on = std::get_if<bool>(&value);
  return on == nullptr ? text_of(value) : std::string(*on ? kSwitch.yes : kSwitch.no);
}

std::string key_of(const Cell& cell, std::initializer_list<SettingPart> parts, std::string_view except) {
  std::string key;
  for (const SettingRow& row : settings()) {
    if (row.name == except || std::ranges::find(parts, row.part) == parts.end()) continue;
    key += text_of(row.read(cell));
    key += '\n';
  }
  return key;
}

std::string loading_key(const Cell& cell, std::string_view except) {
  return key_of(
      cell,
      {SettingPart::kSubject, SettingPart::kStorage, SettingPart::kOrder, SettingPart::kLoading, SettingPart::kMachine},
      except);
}

std::string step_key(const Cell& cell) {
  return key_of(cell, {SettingPart::kSubject, SettingPart::kCompute, SettingPart::kMachine});
}

std::span<const std::string_view> task_settings() {
  static constexpr std::string_view kTask[] = {"cache",     "compute",   "split",        "labels",
                                               "classes",   "crops",     "hdf5_images",  "hdf5_labels",
                                               "tokenizer", "text_key",  "documents",    "mean",
                                               "std",       "flip",      "crop_padding", "image_size",
                                               "crop",      "crop_edge", "rotate",       "sequence_length",
                                               "sequences", "seed",      "rank",         "world_size"};
  return kTask;
}

bool is_task(std::string_view setting) {
  return std::ranges::find(task_settings(), setting) != task_settings().end();
}

std::string axes_text(const Cell& cell, std::initializer_list<SettingPart> parts) {
  std::string text;
  for (const std::string& axis : cell.axes) {
    const SettingRow& row = setting_named("axis", axis);
    const SettingValue value = row.read(cell);
    // The drain of IO is not the user's choice.
    if (cell.mode == Mode::kIo && row.part == SettingPart::kCompute) continue;
    if (std::holds_alternative<std::monostate>(value) || std::ranges::find(parts, row.part) == parts.end()) continue;
    text += fmt::format("/{}:{}", axis, as_option(value));
  }
  return text;
}

std::vector<std::string_view> axes_in(std::string_view axes) {
  // Values may have slashes too, as paths do: an axis begins where the name of a setting follows.
  const auto begins_axis = [&](std::size_t slash) {
    const std::string_view rest = axes.substr(slash + 1);
    return std::ranges::any_of(settings(), [&](const SettingRow& row) {
      return rest.starts_with(row.name) && rest.substr(row.name.size()).starts_with(':');
    });
  };
  std::vector<std::string_view> found;
  for (std::size_t begin = 0; begin < axes.size();) {
    std::size_t end = axes.find('/', begin + 1);
    while (end != std::string_view::npos && !begins_axis(end)) end = axes.find('/', end + 1);
    end = std::min(end, axes.size());
    found.push_back(axes.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  return found;
}

}  // namespace loadline
