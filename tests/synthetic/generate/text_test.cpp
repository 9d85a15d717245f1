#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"
#include "synthetic/convert/convert.h"
#include "synthetic/generate/generate.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> documents_of(const fs::path& path, Split split) {
  const auto dataset = open_dataset(path, {.split = split});
  EXPECT_EQ(dataset->info().format, "text");
  std::vector<std::string> documents;
  dataset->visit([&](StoredSample stored) {
    documents.emplace_back(reinterpret_cast<const char*>(stored.data()), stored.size());
    return true;
  });
  return documents;
}

class GeneratedText : public testing::Test {
 protected:
  fs::path make(TextForm form, std::size_t bytes = 100'000, std::uint64_t seed = 1) {
    const fs::path path = home_ / "text" / std::to_string(made_++);
    EXPECT_EQ(generate_text(path, {.bytes = bytes, .seed = seed, .form = form}), Generated::kMade);
    EXPECT_EQ(generate_text(path, {.bytes = bytes, .seed = seed, .form = form}), Generated::kAlreadyThere);
    return path;
  }

  const test::TemporaryDirectory home_;
  int made_ = 0;
};

TEST_F(GeneratedText, HasDocumentsInEachFormAndDependsOnlyOnTheSeed) {
  const fs::path lines = make(TextForm::kLines);
  EXPECT_EQ(fs::file_size(lines / "train.txt"), 7 * 16384U) << "up to whole pages";
  EXPECT_EQ(test::bytes_of(lines / "train.txt"), test::bytes_of(make(TextForm::kLines) / "train.txt"));
  EXPECT_NE(test::bytes_of(lines / "train.txt"), test::bytes_of(make(TextForm::kLines, 100'000, 2) / "train.txt"));
  for (const TextForm form : {TextForm::kLines, TextForm::kJsonLines, TextForm::kFiles}) {
    const fs::path path = make(form);
    const auto train = documents_of(path, Split::kTrain);
    const auto test = documents_of(path, Split::kTest);
    EXPECT_GT(train.size(), 200U);
    EXPECT_GT(train.size(), 3 * test.size());
    EXPECT_NE(train.front(), test.front());
  }
  EXPECT_EQ(text_form_named("json-lines"), TextForm::kJsonLines);
  EXPECT_EQ(test::thrown_by([] { text_form_named("tfrecord"); }).kind, Error::Kind::kUsage);
}

TEST_F(GeneratedText, HasFewFollowersForEachWord) {
  std::map<std::string, std::map<std::string, int>> followers;
  for (const std::string& document : documents_of(make(TextForm::kLines), Split::kTrain)) {
    std::istringstream words(document);
    std::string before;
    for (std::string word; words >> word; before = word) {
      if (!before.empty()) ++followers[before][word];
    }
  }
  // Half of the time the same word follows. A model that knows nothing would choose among hundreds.
  double all = 0;
  double commonest = 0;
  for (const auto& [word, next] : followers) {
    int most = 0;
    for (const auto& [follower, times] : next) {
      all += times;
      most = std::max(most, times);
    }
    commonest += most;
  }
  EXPECT_GT(followers.size(), 300U);
  EXPECT_GT(commonest / all, 0.4);
}

TEST_F(GeneratedText, BecomesTokensWithTheirDocuments) {
  const fs::path lines = make(TextForm::kLines);
  const auto text = open_dataset(lines, {});
  const fs::path to = home_ / "tokens";
  EXPECT_EQ(convert(*text, to, {.format = "tokens"}, {}, {}), Converted::kMade);
  EXPECT_EQ(convert(*text, to, {.format = "tokens"}, {}, {}), Converted::kAlreadyThere);
  const auto tokens = open_dataset(to, {});
  ASSERT_TRUE(tokens->info().tokens);
  EXPECT_EQ(tokens->info().tokens->documents, text->info().text->documents);
  EXPECT_EQ(tokens->info().tokens->tokens, text->info().text->bytes + text->info().text->documents);
  EXPECT_EQ(tokens->info().tokens->token_bytes, 2U);
  std::string expected;
  for (const std::string& document : documents_of(lines, Split::kTrain)) {
    for (const char c : document) {
      expected += static_cast<char>(static_cast<unsigned char>(c) + 1);
      expected += '\0';
    }
    expected += std::string(2, '\0');
  }
  EXPECT_EQ(test::bytes_of(to / "train.bin"), expected);
  EXPECT_NE(test::thrown_by([&] { convert(*text, home_ / "new.h5", {.format = "hdf5"}, {}, {}); }).message, "");
}

}  // namespace
}  // namespace loadline
