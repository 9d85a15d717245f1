#include "harness/cli/help_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/machine/kernel_text.h"

namespace loadline {
namespace {

std::vector<std::string> parts_between(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(between, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + between.size();
  }
  return parts;
}

// "accelerator utilisation" and "AU" of "accelerator utilisation (AU)".
std::vector<std::string> names_in_cell(std::string cell) {
  std::erase(cell, ')');
  if (const auto open = cell.find(" ("); open != std::string::npos) cell.replace(open, 2, ", ");
  return parts_between(cell, ", ");
}

HelpWord word_of(const std::vector<std::string>& headings, const std::vector<std::string>& cells) {
  HelpWord word{.shown = cells[0], .names = {}, .meaning = {}};
  std::erase(word.shown, '`');
  word.names = names_in_cell(word.shown);
  for (std::size_t i = 1; i < std::min(headings.size(), cells.size()); ++i) {
    word.meaning += i == 1 ? cells[i] : fmt::format("\n{}: {}", headings[i], cells[i]);
  }
  return word;
}

}  // namespace

std::vector<WordList> word_lists() {
  const WordPages pages = embedded_word_pages();
  return {{"warnings", "Warnings", "the id of a warning", words_of_table(pages.warnings)},
          {"glossary", "Glossary", "a word of the glossary", words_of_table(pages.glossary)}};
}

std::vector<HelpWord> words_of_table(std::string_view page) {
  constexpr std::string_view kBegin = "| ";
  constexpr std::string_view kEnd = " |";
  std::vector<HelpWord> words;
  std::vector<std::string> headings;
  for (std::string_view row : lines_of(page)) {
    if (!row.starts_with(kBegin) || !row.ends_with(kEnd)) continue;  // nor does the line below the headings
    row.remove_prefix(kBegin.size());
    row.remove_suffix(kEnd.size());
    auto cells = parts_between(row, " | ");
    if (headings.empty()) {
      headings = std::move(cells);
    } else {
      words.push_back(word_of(headings, cells));
    }
  }
  return words;
}

}  // namespace loadline
