#include "loaders/datasets/text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loaders/error.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Text : public testing::Test {
 protected:
  std::vector<std::string> documents(const fs::path& path, const DatasetOptions& options = {}) const {
    const auto dataset = open_dataset(path, options);
    EXPECT_EQ(dataset->info().format, "text");
    std::vector<std::string> all;
    dataset->visit([&](StoredSample stored) {
      all.emplace_back(reinterpret_cast<const char*>(stored.data()), stored.size());
      return true;
    });
    return all;
  }
  // Returns the refusal without the path of the test's directory.
  std::string refused(const fs::path& path, const DatasetOptions& options = {}) const {
    std::string message = test::thrown_by([&] { open_dataset(path, options); }).message;
    const std::string home = home_.path().string() + "/";
    for (auto at = message.find(home); at != std::string::npos; at = message.find(home)) message.erase(at, home.size());
    return message;
  }
  bool is_recognised(const fs::path& path) const {
    return refused(path).find("no known dataset in it") == std::string::npos;
  }

  const test::TemporaryDirectory home_;
};

TEST_F(Text, HasOneDocumentPerLineWithoutItsLineEnd) {
  const fs::path path = test::write(home_ / "a.txt", "one\r\n\n\r\ntwo words\nthree");
  EXPECT_THAT(documents(path), ElementsAre("one", "two words", "three"));
  const auto dataset = open_dataset(path, {});
  const DatasetInfo& info = dataset->info();
  EXPECT_EQ(info.samples, 3U);
  EXPECT_EQ(info.stored_bytes, 23U);
  EXPECT_EQ(info.all_bytes(), 17U);
  EXPECT_EQ(info.access, Access::kMapped);
  EXPECT_FALSE(info.labelled());
  EXPECT_EQ(stored_type(info), "u8");
  EXPECT_EQ(info.text->stored_as, TextDocuments::kLines);
  EXPECT_EQ(info.text->tokenizer, "bytes");
  EXPECT_EQ(info.text->vocabulary, 256U);
  EXPECT_EQ(dataset->describe(1), "line 4 of " + path.string());
  EXPECT_THAT(dataset->lengths(), ElementsAre(3, 9, 5));
}

TEST_F(Text, HasOneDocumentPerFileOfADirectoryTree) {
  test::write(home_ / "many/b.txt", "two\nlines\n");
  test::write(home_ / "many/a/a.txt", "first");
  test::write(home_ / "many/a/empty.txt", "");
  test::write(home_ / "many/.hidden/c.txt", "unseen");
  EXPECT_THAT(documents(home_ / "many"), ElementsAre("first", "two\nlines\n"));
  EXPECT_EQ(open_dataset(home_ / "many", {})->info().access, Access::kFiles);
  EXPECT_EQ(open_dataset(home_ / "many", {})->describe(0), (home_ / "many/a/a.txt").string());
  EXPECT_THAT(documents(home_ / "many", {.in_memory = true}), ElementsAre("first", "two\nlines\n"));
  EXPECT_THAT(documents(home_ / "many", {.documents = TextDocuments::kLines}), ElementsAre("two", "lines"));
}

TEST_F(Text, IncludesWhatLinksLeadToExceptADirectoryAboveThem) {
  test::write(home_ / "elsewhere/2.txt", "linked");
  test::write(home_ / "many/a/1.txt", "first");
  fs::create_directory_symlink(home_ / "elsewhere", home_ / "many/b");
  fs::create_directory_symlink(home_ / "many", home_ / "many/a/back");
  fs::create_symlink(home_ / "elsewhere/2.txt", home_ / "many/c.txt");
  EXPECT_THAT(documents(home_ / "many"), ElementsAre("first", "linked", "linked"));
  fs::create_symlink(home_ / "nothing", home_ / "many/a/3.txt");
  EXPECT_EQ(refused(home_ / "many"), "cannot open many/a/3.txt: No such file or directory");
}

TEST_F(Text, IsSplitByTheNamesOfFilesAndDirectories) {
  test::write(home_ / "lines/train-0.txt", "a\n");
  test::write(home_ / "lines/train-1.txt", "b\n");
  test::write(home_ / "lines/val.txt", "c\n");
  EXPECT_THAT(documents(home_ / "lines"), ElementsAre("a", "b"));
  EXPECT_THAT(documents(home_ / "lines", {.split = Split::kTest}), ElementsAre("c"));
  test::write(home_ / "files/train/1.txt", "d");
  test::write(home_ / "files/test/1.txt", "e");
  EXPECT_THAT(documents(home_ / "files"), ElementsAre("d"));
  EXPECT_THAT(documents(home_ / "files", {.split = Split::kTest}), ElementsAre("e"));
  test::write(home_ / "json/train.jsonl", "{\"text\": \"f\"}\n");
  EXPECT_THAT(documents(home_ / "json"), ElementsAre("{\"text\": \"f\"}")) << "as it is stored";
  EXPECT_EQ(open_dataset(home_ / "json", {})->info().text->stored_as, TextDocuments::kJsonLines);
}

TEST_F(Text, IsRecognisedIfADirectoryHoldsNothingElse) {
  test::write(home_ / "own/train.txt", "text\n");
  test::write(home_ / "own/README.md", "about it");
  test::write(home_ / "own/LICENSE", "free");
  test::write(home_ / "own/.cache", "hidden");
  test::write(home_ / "own/bpe.model", "not opened to tell");
  EXPECT_THAT(documents(home_ / "own", {.tokenizer = "bytes"}), ElementsAre("text"));

  test::write(home_ / "told/README.txt", "of other files");
  EXPECT_FALSE(is_recognised(home_ / "told"));
  test::write(home_ / "photos/deep/below/1.jpg", "a photograph");
  test::write(home_ / "photos/train.txt", "deep/below/1.jpg\n");
  test::write(home_ / "photos/list.json", "{}");
  EXPECT_FALSE(is_recognised(home_ / "photos"));
  EXPECT_THAT(documents(home_ / "photos", {.format = "text"}), ElementsAre("deep/below/1.jpg"));
  test::write(home_ / "flat/1.jpg", "a photograph");
  test::write(home_ / "flat/labels.txt", "one\n");
  EXPECT_FALSE(is_recognised(home_ / "flat"));
}

TEST_F(Text, IsRefusedWithTheReason) {
  const fs::path empty = test::write(home_ / "empty.txt", "");
  EXPECT_EQ(refused(empty), "cannot open empty.txt: it contains no samples");
  EXPECT_EQ(refused(test::write(home_ / "newlines.txt", "\n\n\r\n")),
            "cannot open newlines.txt: it contains no samples");
  test::write(home_ / "hollow/a.txt", "");
  EXPECT_EQ(refused(home_ / "hollow"), "cannot open hollow: it has no .txt file with any text");
  EXPECT_THAT(refused(test::write(home_ / "train.txt.gz", test::gzip_of("text")), {.format = "text"}),
              HasSubstr("cannot open train.txt.gz: it is compressed"));
  EXPECT_THAT(refused(home_ / "missing", {.format = "text"}), HasSubstr("missing"));

  const fs::path lines = test::write(home_ / "lines.txt", "a line\n");
  EXPECT_EQ(refused(lines, {.split = Split::kTest}), "split test: lines.txt is one file, so it has one split only");
  EXPECT_EQ(refused(lines, {.documents = TextDocuments::kFiles}),
            "--documents files: lines.txt is one file, name a directory of files");
  EXPECT_EQ(refused(lines, {.text_key = "content"}), "--text-key: it applies to JSON Lines, and lines.txt holds none");
  EXPECT_EQ(refused(lines, {.labels = LabelKind::kCoarse}), "coarse labels: lines.txt has none, only cifar100 does");
  EXPECT_EQ(refused(lines, {.sequence_length = 8, .sequences = Sequences::kRandom}),
            "lines.txt holds text, whose sequences are padded or packed, not random; use --workload text");
  const fs::path json = test::write(home_ / "lines.jsonl", "{}\n");
  EXPECT_EQ(refused(json, {.documents = TextDocuments::kFiles}), "--documents files: lines.jsonl holds JSON lines");
  test::write(home_ / "plain/a.txt", "a");
  EXPECT_EQ(refused(home_ / "plain", {.split = Split::kTest}),
            "split test: plain has no directory train, so it has one split only");
}

TEST_F(Text, HasTheSameLinesAtAnyNumberOfThreads) {
  constexpr std::size_t kTwoParts = std::size_t{33} << 20;
  std::string text;
  text.reserve(kTwoParts + 64);
  for (int i = 0; text.size() < kTwoParts; ++i) text += fmt::format("line {} {:>{}}\n", i, "of text", i % 61);
  const fs::path path = test::write(home_ / "large.txt", text);
  ShardIndex by_one;
  ShardIndex by_many;
  scan_lines(path, 1, by_one);
  scan_lines(path, 4, by_many);
  EXPECT_EQ(by_many.offsets, by_one.offsets);
  EXPECT_EQ(by_many.bytes, by_one.bytes);
  ASSERT_GT(by_one.bytes.size(), 100'000U);
  EXPECT_EQ(by_one.offsets[1], by_one.bytes[0] + 1U);
}

TEST_F(Text, IsNotReadFurtherOnceItsFileHasChanged) {
  const fs::path path = test::write(home_ / "a.txt", std::string(100'000, 'a') + "\nb\n");
  const auto dataset = open_dataset(path, {});
  fs::resize_file(path, 10);
  const std::string message =
      test::thrown_by([&] {
        dataset->visit([](StoredSample stored) { return stored.empty() || stored.back() != std::byte{1}; });
      }).message;
  EXPECT_THAT(message, HasSubstr("a.txt"));
}

using Parts = std::vector<TextPart>;

Parts parts_of(const PackedRows& rows, std::size_t row) {
  Parts parts;
  rows.visit(row, [&](const TextPart& part) { parts.push_back(part); });
  return parts;
}

TEST(PackedRows, HoldEachByteAndEachEndOnce) {
  const PackedRows rows(std::vector<std::uint32_t>{3, 5, 1}, 4);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(parts_of(rows, 0), (Parts{{.document = 0, .first = 0, .end = 3, .ends = true}}));
  EXPECT_EQ(parts_of(rows, 1), (Parts{{.document = 1, .first = 0, .end = 4, .ends = false}}));
  EXPECT_EQ(parts_of(rows, 2), (Parts{{.document = 1, .first = 4, .end = 5, .ends = true},
                                      {.document = 2, .first = 0, .end = 1, .ends = true}}));
}

TEST(PackedRows, CanHaveALoneEndAndAShortLastRow) {
  const PackedRows rows(std::vector<std::uint32_t>{4, 2}, 4);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(parts_of(rows, 1), (Parts{{.document = 0, .first = 4, .end = 4, .ends = true},
                                      {.document = 1, .first = 0, .end = 2, .ends = true}}));
  EXPECT_EQ(PackedRows(std::vector<std::uint32_t>{4, 3}, 4).size(), 3U);
}

// Returns the text of each part of the first document, cut every `step` bytes.
std::vector<std::string> cut(const fs::path& file, std::uint32_t step, bool anywhere) {
  const auto documents = map_lines({file});
  TextReader reader(*documents, false, "", anywhere);
  std::vector<std::string> texts;
  for (std::uint32_t at = 0; at < documents->lengths()[0]; at += step) {
    const std::uint32_t end = std::min(at + step, documents->lengths()[0]);
    reader.read({.document = 0, .first = at, .end = end, .ends = false});
    texts.emplace_back(reader.text());
  }
  return texts;
}

TEST_F(Text, IsCutAtWhiteSpaceOrAfterACharacter) {
  const fs::path words = test::write(home_ / "words.txt", "alpha beta gamma\n");
  EXPECT_THAT(cut(words, 8, false), ElementsAre("alpha beta", " gamma"));
  EXPECT_THAT(cut(words, 8, true), ElementsAre("alpha be", "ta gamma"));
  std::string vowels;
  for (int i = 0; i < 100; ++i) vowels += "é";
  const fs::path long_word = test::write(home_ / "long.txt", vowels + '\n');
  const auto halves = cut(long_word, 101, false);
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_EQ(halves[0].size(), 102U) << "no white space within 64 bytes: the character is whole";
  EXPECT_EQ(halves[0] + halves[1], vowels);
}

TEST_F(Text, IsCheckedForUtf8UpToBothEndsOfAPart) {
  const fs::path path = test::write(home_ / "bad.txt", "good text, then \xff and good again\n");
  EXPECT_EQ(test::thrown_by([&] { cut(path, 40, false); }).message, "it is not UTF-8 at its byte 16");
  EXPECT_EQ(test::thrown_by([&] { cut(path, 40, true); }).message, "it is not UTF-8 at its byte 16");
}

}  // namespace
}  // namespace loadline
