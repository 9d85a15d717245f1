#include "harness/cli/help_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace loadline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(HelpWords, AreTheRowsOfAMarkdownTable) {
  const auto words = words_of_table(
      "# Title\n\nText.\n\n| id | when | what to do |\n|---|---|---|\n"
      "| `swapping` | a trial swapped; see `swap` | free memory |\n| `stolen` | others ran | wait |\n");
  ASSERT_THAT(words, SizeIs(2));
  EXPECT_EQ(words[0].shown, "swapping");
  EXPECT_THAT(words[0].names, ElementsAre("swapping"));
  EXPECT_EQ(words[0].meaning, "a trial swapped; see `swap`\nwhat to do: free memory");
  EXPECT_EQ(words[1].meaning, "others ran\nwhat to do: wait");
}

TEST(HelpWords, HaveEveryNameThatTheFirstColumnGives) {
  const auto words = words_of_table(
      "| word | meaning |\n|---|---|\n| cold, warm | a state |\n| accelerator utilisation (AU) | a share |\n");
  ASSERT_THAT(words, SizeIs(2));
  EXPECT_EQ(words[0].shown, "cold, warm");
  EXPECT_THAT(words[0].names, ElementsAre("cold", "warm"));
  EXPECT_EQ(words[1].shown, "accelerator utilisation (AU)");
  EXPECT_THAT(words[1].names, ElementsAre("accelerator utilisation", "AU"));
  EXPECT_EQ(words[1].meaning, "a share");
}

TEST(HelpWords, OfThePagesAllHaveMeaningsAndNamesOfTheirOwn) {
  const auto lists = word_lists();
  ASSERT_THAT(lists, SizeIs(2));
  EXPECT_EQ(lists[0].topic, "warnings");
  EXPECT_EQ(lists[1].topic, "glossary");
  for (const WordList& list : lists) {
    std::set<std::string> names;
    EXPECT_GT(list.words.size(), 30U) << list.topic;
    for (const HelpWord& word : list.words) {
      EXPECT_THAT(word.meaning, Not(IsEmpty())) << word.shown;
      for (const std::string& name : word.names) EXPECT_TRUE(names.insert(name).second) << name;
    }
  }
}

}  // namespace
}  // namespace loadline
