// Words that loadline prints and its pages explain: the ids of warnings, and the glossary. The build embeds the tables
// of results/README.md and docs/glossary.md (cmake/help_words.cmake), so help says what the pages say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadline {

struct HelpWord {
  std::string shown;               // as its table has it: "cold, warm"
  std::vector<std::string> names;  // "cold" and "warm"
  std::string meaning;             // the other columns, one line each
};

struct WordList {
  std::string_view topic;  // the word that asks for the whole list: "warnings"
  std::string_view heading;
  std::string_view one;  // what each of its words is: "the id of a warning"
  std::vector<HelpWord> words;
};

// The words of warnings and of the glossary, in the order of the pages.
std::vector<WordList> word_lists();

// The words of the Markdown table in `page`. Its first column has the names, such as "cold, warm" or "accelerator
// utilisation (AU)", and the second says what they mean. What stands in a further column follows that column's heading:
// "what to do: run again".
std::vector<HelpWord> words_of_table(std::string_view page);

// The parts of the pages that have the tables, from the build.
struct WordPages {
  std::string_view warnings;
  std::string_view glossary;
};
WordPages embedded_word_pages();

}  // namespace loadline
