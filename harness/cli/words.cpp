#include "harness/cli/words.h"

#include <fmt/format.h>

#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

const OptionRow& row_of(std::string_view option, const std::string& name) {
  if (!name.starts_with("--")) {
    throw usage_error(fmt::format("{}: want options of `loadline run`, such as '--workers 4', got '{}'", option, name));
  }
  std::vector<std::string> names;
  for (const OptionRow& row : run_options()) {
    if (!is_for_pairs(row) || row.name == "output" || row.name == "quiet") continue;
    if (name.substr(2) == row.name) return row;
    names.push_back(fmt::format("--{}", row.name));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string hint = hint_of(name, views);
  throw usage_error(
      fmt::format("{}: unknown option '{}'{}", option, name, hint.empty() ? ", see `loadline ab --help`" : hint));
}

}  // namespace

std::vector<std::string> split_words(std::string_view option, std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;  // a word, which may be empty
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool space = c == ' ' || c == '\t' || c == '\n';
    if (quote == '\0' && space) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else if (quote == c) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') throw usage_error(fmt::format("{}: a quote is not closed, got [{}]", option, text));
  return words;
}

std::vector<const OptionRow*> apply_words(std::string_view option, const std::vector<std::string>& words,
                                          RunOptions& options) {
  std::vector<const OptionRow*> given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const OptionRow& row = row_of(option, words[i].substr(0, equals));
    given.push_back(&row);
    const auto refuse = [&](std::string_view wanted) {
      throw usage_error(fmt::format("{}: --{}: want {}", option, row.name, wanted));
    };
    if (row.value.empty() && equals == std::string::npos) {
      write_option(options, row, "on");
    } else if (row.value.empty() && !row.axis) {
      refuse("no value");
    } else if (equals != std::string::npos) {
      write_option(options, row, words[i].substr(equals + 1));
    } else {
      if (i + 1 == words.size()) refuse("a value");
      write_option(options, row, words[++i]);
    }
  }
  return given;
}

}  // namespace loadline
