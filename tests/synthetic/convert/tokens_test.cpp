// Tokens in one width as tokens in the other.
#include "loaders/datasets/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "loaders/datasets/datasets.h"
#include "loaders/datasets/fingerprint.h"
#include "synthetic/convert/convert.h"
#include "synthetic/convert/writers.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/loaders/support/token_files.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::counting_tokens;
using test::index_bytes;
using testing::ElementsAre;

class ConvertedTokens : public testing::Test {
 protected:
  // Ten tokens, 1,000 to 1,009, in three documents, one of them empty.
  std::unique_ptr<Dataset> indexed() const {
    test::write(home_ / "a.bin", counting_tokens<std::uint16_t>(10));
    test::write(home_ / "a.idx", index_bytes({.lengths = {4, 0, 6}}));
    return open_dataset(home_ / "a.bin", {});
  }
  test::Thrown refused(const Dataset& from, std::size_t token_bytes) const {
    return test::thrown_by([&] { convert(from, home_ / "new", {.format = "tokens", .token_bytes = token_bytes}); });
  }

  const test::TemporaryDirectory home_;
};

TEST_F(ConvertedTokens, KeepTheirDocumentsInTheOtherWidth) {
  const auto narrow = indexed();
  EXPECT_EQ(convert(*narrow, home_ / "wide", {.format = "tokens", .token_bytes = 4}), Converted::kMade);
  EXPECT_EQ(test::bytes_of(home_ / "wide/train.bin"), counting_tokens<std::uint32_t>(10));
  EXPECT_EQ(test::bytes_of(home_ / "wide/train.idx"), index_bytes({.code = 4, .lengths = {4, 0, 6}}));
  const auto wide = open_dataset(home_ / "wide", {});
  EXPECT_EQ(wide->info().tokens->token_bytes, 4U);
  EXPECT_EQ(wide->info().tokens->documents, 3U);
  EXPECT_EQ(content_fingerprint(*wide), content_fingerprint(*narrow));
  EXPECT_EQ(convert(*wide, home_ / "back", {.format = "tokens", .token_bytes = 2}), Converted::kMade);
  EXPECT_EQ(test::bytes_of(home_ / "back/train.bin"), test::bytes_of(home_ / "a.bin"));
  EXPECT_EQ(test::bytes_of(home_ / "back/train.idx"), test::bytes_of(home_ / "a.idx"));
}

TEST_F(ConvertedTokens, HaveTheWidthOfTheirSourceUnlessAskedOtherwise) {
  convert(*indexed(), home_ / "copy", {.format = "tokens"});
  EXPECT_EQ(test::bytes_of(home_ / "copy/train.bin"), test::bytes_of(home_ / "a.bin"));
}

TEST_F(ConvertedTokens, AreOneDocumentIfTheirSourceHasNoIndex) {
  const auto narrow =
      open_dataset(test::write(home_ / "a.bin", counting_tokens<std::uint16_t>(10)), {.format = "tokens"});
  EXPECT_EQ(convert(*narrow, home_ / "wide", {.format = "tokens", .token_bytes = 4}), Converted::kMade);
  EXPECT_THAT(test::names_in(home_ / "wide"), ElementsAre("train.bin", "train.idx"));
  EXPECT_EQ(test::bytes_of(home_ / "wide/train.bin"), counting_tokens<std::uint32_t>(10));
  EXPECT_EQ(test::bytes_of(home_ / "wide/train.idx"), index_bytes({.code = 4, .lengths = {10}}));
  const auto wide = open_dataset(home_ / "wide", {});
  EXPECT_EQ(wide->info().format, "tokens");
  EXPECT_EQ(wide->info().tokens->token_bytes, 4U);
  EXPECT_EQ(content_fingerprint(*wide), content_fingerprint(*narrow));
  EXPECT_EQ(convert(*narrow, home_ / "wide", {.format = "tokens", .token_bytes = 4}), Converted::kAlreadyThere);
}

TEST_F(ConvertedTokens, AreNotTakenForThereWithoutTheirIndex) {
  const auto narrow =
      open_dataset(test::write(home_ / "a.bin", counting_tokens<std::uint16_t>(10)), {.format = "tokens"});
  test::write(home_ / "new/train.bin", counting_tokens<std::uint16_t>(10));
  EXPECT_EQ(refused(*narrow, 2), test::failed("cannot convert to " + (home_ / "new").string() +
                                              ": something else is there; name another place or remove it"));
}

TEST(IndexOfDocuments, DividesADocumentThatASequenceCannotCount) {
  constexpr std::int32_t kMost = 2'147'483'647;
  const std::uint64_t starts[] = {0, 3, 3, 3 + 2 * std::uint64_t{kMost} + 5, 3 + 2 * std::uint64_t{kMost} + 9};
  EXPECT_EQ(index_of_documents(starts, 2),
            index_bytes({.lengths = {3, 0, kMost, kMost, 5, 4}, .documents = {0, 1, 2, 5, 6}}));
}

TEST_F(ConvertedTokens, AreRefusedIfOneDoesNotFit) {
  test::write(home_ / "a.bin", test::little_bytes(std::uint32_t{65'535}) + test::little_bytes(std::uint32_t{65'536}));
  const auto wide = open_dataset(home_ / "a.bin", {.format = "tokens", .token_bytes = 4});
  EXPECT_EQ(refused(*wide, 2), test::failed("cannot convert to " + (home_ / "new").string() + ": token 1 of " +
                                            (home_ / "a.bin").string() +
                                            " is 65536, and u16 holds at most 65535; use --to-token-type "
                                            "u32 instead"));
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre("a.bin"));
  EXPECT_EQ(refused(*wide, 4), test::Thrown{});
}

TEST_F(ConvertedTokens, LeaveAloneOtherWidthsAndOtherDocuments) {
  const auto tokens = indexed();
  const test::Thrown taken = test::failed("cannot convert to " + (home_ / "new").string() +
                                          ": something else is there; name another place or remove it");
  test::write(home_ / "new/train.bin", counting_tokens<std::uint16_t>(10));
  test::write(home_ / "new/train.idx", index_bytes({.lengths = {5, 0, 5}}));
  EXPECT_EQ(refused(*tokens, 2), taken);
  test::write(home_ / "new/train.idx", index_bytes({.lengths = {4, 0, 6}}));
  EXPECT_EQ(refused(*tokens, 4), taken);
  EXPECT_EQ(convert(*tokens, home_ / "new", {.format = "tokens", .token_bytes = 2}), Converted::kAlreadyThere);
}

TEST_F(ConvertedTokens, OfTextHaveTheRequestedWidth) {
  const auto text = open_dataset(test::write(home_ / "a.txt", "ab\nc\n"), {});
  EXPECT_EQ(convert(*text, home_ / "wide", {.format = "tokens", .token_bytes = 4}), Converted::kMade);
  std::string wanted;
  for (const std::uint32_t token : {98U, 99U, 0U, 100U, 0U}) wanted += test::little_bytes(token);
  EXPECT_EQ(test::bytes_of(home_ / "wide/train.bin"), wanted);
  EXPECT_EQ(test::bytes_of(home_ / "wide/train.idx"), index_bytes({.code = 4, .lengths = {3, 2}}));
}

TEST_F(ConvertedTokens, LeaveNothingBehindWhenInterrupted) {
  const auto tokens = indexed();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      test::thrown_by([&] { convert(*tokens, home_ / "new", {.format = "tokens"}, {}, stop.get_token()); }).message,
      "converting to " + (home_ / "new").string() + " was interrupted; nothing was left behind");
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre("a.bin", "a.idx"));
}

}  // namespace
}  // namespace loadline
