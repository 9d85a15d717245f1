#include "harness/file/json/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "loaders/names.h"

namespace loadline {
namespace {

// As on the command line.
std::string option_text(const JsonReader& value) {
  switch (value.kind()) {
    case JsonKind::kBool: return value.as_bool() ? "true" : "false";
    case JsonKind::kWhole: return fmt::format("{}", value.as_whole());
    case JsonKind::kNumber: return fmt::format("{}", value.as_number());
    case JsonKind::kText: return std::string(value.as_text());
    case JsonKind::kList:
      if (value.items() > 0) break;
      throw value.error("want at least one value in the list, got none");
    default: throw value.refusal("text, a number, true, false or a list of them");
  }
  std::string text;
  value.each_item([&](const JsonReader& item, std::size_t index) {
    text += fmt::format("{}{}", index == 0 ? "" : ",", option_text(item));
  });
  return text;
}

}  // namespace

Json option_form(const OptionRow& row) {
  Json form = std::visit([]<typename T>(T RunOptions::* /*field*/) { return form_of<T>(); }, row.field);
  if (read_option(RunOptions(), row) == OptionValue()) form["null"] = true;
  if (row.choices != nullptr) form["words"] = row.choices();
  if (row.least > 0) form["above_zero"] = true;
  if (row.axis) form["axis"] = true;
  form["help"] = row.help;
  if (form["type"] == "integer" || form["type"] == "number") form["unit"] = row.value;
  return form;
}

void fields(RecordWriter& json, const RunOptions& options) {
  for (const OptionRow& row : run_options()) {
    json.of_table(
        key_of(row), [&] { return option_form(row); },
        [&] { return std::visit([](const auto& value) { return json_of(value); }, read_option(options, row)); });
  }
}

void fields(RecordReader& json, RunOptions& options) {
  // A file has a value for every option, so none of them counts as requested.
  const auto given = options.given;
  json.object().each_member([&](std::string_view key, const JsonReader& value) {
    std::string name(key);
    std::ranges::replace(name, '_', '-');
    const auto rows = run_options();
    const auto row = std::ranges::find(rows, name, &OptionRow::name);
    if (row == rows.end()) {
      const std::string hint = hint_of(name, names_of(rows));
      throw json.object().error(
          fmt::format("unknown option '{}'{}", name, hint.empty() ? ", see `loadline run --help`" : hint));
    }
    if (value.kind() == JsonKind::kNull) return;
    const std::string text = option_text(value);
    try {
      write_option(options, *row, text);
    } catch (const Error& error) {
      throw json.object().error(error.what());
    }
  });
  options.given = given;
}

}  // namespace loadline
