// Text in one form as text in another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "loaders/datasets/datasets.h"
#include "loaders/datasets/text.h"
#include "synthetic/convert/convert.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ConvertedText : public testing::Test {
 protected:
  std::unique_ptr<Dataset> text_of(const std::string& name, const std::string& bytes) const {
    return open_dataset(test::write(home_ / name, bytes), {});
  }
  Converted converted(const Dataset& from, const std::string& to, std::string_view format) const {
    return convert(from, home_ / to, {.format = format});
  }
  test::Thrown refused(const Dataset& from, std::string_view format) const {
    return test::thrown_by([&] { convert(from, home_ / "new", {.format = format}); });
  }
  std::string new_place() const { return (home_ / "new").string(); }

  const test::TemporaryDirectory home_;
};

TEST_F(ConvertedText, HasADocumentPerLine) {
  const auto json = text_of("a.jsonl", "{\"text\": \"one\"}\n\n{\"id\": 7, \"text\": \"t\\u00e9 w\\\"o\"}\n");
  EXPECT_EQ(converted(*json, "lines", "lines"), Converted::kMade);
  EXPECT_THAT(test::names_in(home_ / "lines"), ElementsAre("train.txt"));
  EXPECT_EQ(test::bytes_of(home_ / "lines/train.txt"), "one\nt\u00e9 w\"o\n");
  EXPECT_EQ(open_dataset(home_ / "lines", {})->info().text->stored_as, TextDocuments::kLines);
}

TEST_F(ConvertedText, HasAnObjectPerLine) {
  const auto lines = text_of("a.txt", "one\r\n\nt\u00e9 w\"o\n");
  EXPECT_EQ(converted(*lines, "json", "json-lines"), Converted::kMade);
  EXPECT_THAT(test::names_in(home_ / "json"), ElementsAre("train.jsonl"));
  EXPECT_EQ(test::bytes_of(home_ / "json/train.jsonl"), "{\"text\":\"one\"}\n{\"text\":\"t\u00e9 w\\\"o\"}\n");
  EXPECT_EQ(open_dataset(home_ / "json", {})->info().text->stored_as, TextDocuments::kJsonLines);
}

TEST_F(ConvertedText, HasAFilePerDocument) {
  const auto json = text_of("a.jsonl", "{\"text\": \"two\\nlines\\n\"}\n{\"text\": \"one\"}\n");
  EXPECT_EQ(converted(*json, "files", "files"), Converted::kMade);
  EXPECT_THAT(test::names_in(home_ / "files"), ElementsAre("0000000000.txt", "0000000001.txt"));
  EXPECT_EQ(test::bytes_of(home_ / "files/0000000000.txt"), "two\nlines\n");
  EXPECT_EQ(test::bytes_of(home_ / "files/0000000001.txt"), "one");
  EXPECT_EQ(open_dataset(home_ / "files", {})->info().text->stored_as, TextDocuments::kFiles);
}

TEST_F(ConvertedText, IsTheSameAfterAWalkThroughAllForms) {
  const auto lines = text_of("a.txt", "one\ntwo words\n\u00e9\n");
  std::unique_ptr<Dataset> last = open_dataset(home_ / "a.txt", {});
  for (const char* form : {"files", "json-lines", "lines"}) {
    EXPECT_EQ(converted(*last, form, form), Converted::kMade);
    EXPECT_EQ(converted(*lines, form, form), Converted::kAlreadyThere);
    last = open_dataset(home_ / form, {});
  }
  EXPECT_EQ(test::bytes_of(home_ / "lines/train.txt"), "one\ntwo words\n\u00e9\n");
}

TEST_F(ConvertedText, TakesTheTextOfTheMemberThatWasNamed) {
  const auto json = open_dataset(test::write(home_ / "a.jsonl", "{\"body\": \"this\", \"text\": \"not this\"}\n"),
                                 {.text_key = "body"});
  converted(*json, "new", "json-lines");
  EXPECT_EQ(test::bytes_of(home_ / "new/train.jsonl"), "{\"text\":\"this\"}\n");
}

TEST_F(ConvertedText, IsRefusedWhereAReaderWouldSeeOtherDocuments) {
  const std::string place = "cannot convert to " + new_place() + ": line 2 of " + (home_ / "a.jsonl").string();
  const auto with = [&](const std::string& second) {
    return text_of("a.jsonl", "{\"text\": \"one\"}\n{\"text\": \"" + second + "\"}\n");
  };
  for (const char* lines : {"two\\nlines", "two\\n"}) {
    EXPECT_EQ(refused(*with(lines), "lines"),
              test::failed(place + " has more than one line, which only json-lines and files can hold"));
  }
  EXPECT_EQ(refused(*with("two\\r"), "lines"),
            test::failed(place + " ends in a carriage return, which only json-lines and files can hold"));
  for (const char* form : {"lines", "files"}) {
    EXPECT_EQ(refused(*with(""), form), test::failed(place + " is an empty document, which only json-lines can hold"));
  }
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre("a.jsonl"));
  EXPECT_EQ(converted(*with(""), "new", "json-lines"), Converted::kMade);
}

TEST_F(ConvertedText, NamesADocumentThatIsCorrupt) {
  EXPECT_EQ(refused(*text_of("a.txt", "one\nt\xffo\n"), "json-lines"),
            test::failed("cannot read line 2 of " + (home_ / "a.txt").string() + ": it is not UTF-8 at its byte 1"));
  EXPECT_EQ(
      refused(*text_of("a.jsonl", "{\"text\": 1}\n"), "lines"),
      test::failed("cannot read line 1 of " + (home_ / "a.jsonl").string() + ": its member text is not a string"));
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre("a.jsonl", "a.txt"));
}

TEST_F(ConvertedText, LeavesAloneOtherTextAndOtherForms) {
  const auto lines = text_of("a.txt", "one\ntwo\n");
  test::write(home_ / "new/train.txt", "one\ntwo!\n");
  const test::Thrown taken =
      test::failed("cannot convert to " + new_place() + ": something else is there; name another place or remove it");
  EXPECT_EQ(refused(*lines, "lines"), taken);
  test::write(home_ / "new/train.txt", "one\ntwo\n");
  EXPECT_EQ(converted(*lines, "new", "lines"), Converted::kAlreadyThere);
  EXPECT_EQ(refused(*lines, "files"), taken) << "they are lines";
  EXPECT_EQ(refused(*lines, "json-lines"), taken);
}

TEST_F(ConvertedText, LeavesNothingBehindWhenInterrupted) {
  const auto lines = text_of("a.txt", "one\ntwo\n");
  std::stop_source stop;
  stop.request_stop();
  for (const char* form : {"lines", "json-lines", "files"}) {
    EXPECT_EQ(test::thrown_by([&] { convert(*lines, home_ / "new", {.format = form}, {}, stop.get_token()); }).message,
              "converting to " + new_place() + " was interrupted; nothing was left behind");
  }
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre("a.txt"));
}

TEST_F(ConvertedText, ReportsItsProgress) {
  std::string many;
  for (int i = 0; i < 130; ++i) many += "a line\n";
  const auto lines = text_of("a.txt", many);
  std::vector<std::size_t> told;
  convert(*lines, home_ / "new", {.format = "lines"}, [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 130U);
    told.push_back(done);
  });
  EXPECT_THAT(told, ElementsAre(64, 128));
}

}  // namespace
}  // namespace loadline
