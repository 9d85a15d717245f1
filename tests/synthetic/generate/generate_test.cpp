#include "synthetic/generate/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/datasets.h"
#include "loaders/error.h"
#include "synthetic/generate/layout.h"
#include "tests/loaders/support/thrown.h"
#include "tests/synthetic/generate/generated.h"

namespace loadline {

// GoogleTest uses this; by default it would print the addresses in the row.
std::ostream& operator<<(std::ostream& out, const GeneratorKind& kind) {
  return out << kind.name;
}

namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;
using test::Thrown;
using test::thrown_by;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Progress = std::vector<std::pair<std::size_t, std::size_t>>;

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A disk that takes at most `bytes` in a file: the limit of the process, which gives an error instead of a signal.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

class EveryGenerator : public testing::TestWithParam<GeneratorKind> {
 protected:
  Generated make(const fs::path& directory, const GenerateOptions& options = {.samples = 1000}) {
    return generate(GetParam().name, directory, options);
  }

  const TemporaryDirectory home_;
};

INSTANTIATE_TEST_SUITE_P(Table, EveryGenerator, testing::ValuesIn(generators().begin(), generators().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(EveryGenerator, LeavesAnExistingDataSetUnchanged) {
  EXPECT_EQ(make(home_ / "data"), Generated::kMade);
  const auto sums = test::checksums_in(home_ / "data");
  EXPECT_EQ(make(home_ / "data"), Generated::kAlreadyThere);
  EXPECT_EQ(test::checksums_in(home_ / "data"), sums);
  EXPECT_EQ(std::distance(fs::directory_iterator(home_.path()), fs::directory_iterator()), 1);
}

TEST_P(EveryGenerator, MakesTheFormatOfItsRow) {
  make(home_ / "data");
  const auto dataset = open_dataset(home_ / "data", {});
  EXPECT_EQ(dataset->info().format, GetParam().format);
  EXPECT_EQ(dataset->info().samples, 1000U);
}

TEST_P(EveryGenerator, MakesDifferentSamplesFromADifferentSeed) {
  make(home_ / "one", {.samples = 100, .seed = 1});
  make(home_ / "two", {.samples = 100, .seed = 2});
  const auto one = test::checksums_in(home_ / "one");
  const auto two = test::checksums_in(home_ / "two");
  ASSERT_EQ(one.size(), two.size());
  for (const auto& [name, sum] : one) {
    if (name.ends_with(".txt")) continue;
    EXPECT_NE(sum, two.at(name)) << name;
  }
}

TEST_P(EveryGenerator, RefusesADataSetFromAnotherSeedAndKeepsIt) {
  make(home_ / "data", {.samples = 100, .seed = 1});
  const auto sums = test::checksums_in(home_ / "data");
  const Thrown thrown = thrown_by([&] { make(home_ / "data", {.samples = 100, .seed = 2}); });
  EXPECT_THAT(thrown.message, HasSubstr("something else is there"));
  EXPECT_THAT(thrown.message, HasSubstr("differs in content"));
  EXPECT_EQ(test::checksums_in(home_ / "data"), sums);
}

TEST_P(EveryGenerator, NeedsAtLeastOneSampleOfEachClass) {
  const std::size_t classes = GetParam().classes;
  const Thrown none = thrown_by([&] { make(home_ / "data", {.samples = 0}); });
  const Thrown few = thrown_by([&] { make(home_ / "data", {.samples = classes - 1}); });
  EXPECT_THAT(none.message, HasSubstr("with 0 samples: want from " + std::to_string(classes)));
  EXPECT_THAT(few.message, HasSubstr("with " + std::to_string(classes - 1) + " samples"));
  EXPECT_EQ(none.kind, Error::Kind::kUsage);
  EXPECT_EQ(few.kind, Error::Kind::kUsage);
  EXPECT_TRUE(fs::is_empty(home_.path()));
  EXPECT_EQ(make(home_ / "data", {.samples = classes}), Generated::kMade);
}

TEST_P(EveryGenerator, CountsEverySampleOnceInItsProgress) {
  Progress progress;
  generate(GetParam().name, home_ / "data", {.samples = 1000},
           [&](std::size_t done, std::size_t total) { progress.emplace_back(done, total); });
  const std::size_t total = 1000 + 1000 / GetParam().train_per_test;
  ASSERT_FALSE(progress.empty());
  EXPECT_EQ(progress.back(), std::pair(total, total));
  for (std::size_t i = 1; i < progress.size(); ++i) EXPECT_LT(progress[i - 1].first, progress[i].first);
}

TEST_P(EveryGenerator, LeavesNothingBehindOnAFullDisk) {
  const FullDisk disk(50'000);
  const Thrown thrown = thrown_by([&] { make(home_ / "new" / "data"); });
  EXPECT_THAT(thrown.message, StartsWith("cannot write " + (home_ / "new" / "data").string() + "/"));
  EXPECT_THAT(thrown.message, EndsWith(": File too large"));
  EXPECT_TRUE(fs::is_empty(home_.path()));
}

TEST_P(EveryGenerator, LeavesNothingBehindWhenStopped) {
  std::stop_source source;
  const auto stop_at_once = [&](std::size_t, std::size_t) { source.request_stop(); };
  const fs::path data = home_ / "new" / "data";
  const Thrown thrown =
      thrown_by([&] { generate(GetParam().name, data, {.samples = 1000}, stop_at_once, source.get_token()); });
  EXPECT_EQ(thrown.message, "making " + data.string() + " was interrupted; nothing was left behind");
  EXPECT_TRUE(fs::is_empty(home_.path()));
}

TEST(Generate, RefusesAnUnknownKindByNamingTheKnownOnes) {
  const Thrown thrown = thrown_by([] { generator("imagenet"); });
  EXPECT_EQ(thrown.message, "kind of dataset 'imagenet': want one of cifar10, cifar100, mnist");
  EXPECT_EQ(thrown.kind, Error::Kind::kUsage);
}

TEST(Generate, RefusesOtherCountsOfSamplesThanItCanWrite) {
  const TemporaryDirectory home;
  const Thrown one = thrown_by([&] { generate("cifar10", home / "data", {.samples = 1}); });
  EXPECT_EQ(one.message, "cannot make cifar10 with 1 sample: want from 10 (one per class) to 4294967295");
  const Thrown thrown = thrown_by([&] { generate("mnist", home / "data", {.samples = 4'294'967'296}); });
  EXPECT_EQ(thrown.message, "cannot make mnist with 4294967296 samples: want from 10 (one per class) to 4294967295");
}

TEST(Generate, RefusesADirectoryWithoutAName) {
  EXPECT_EQ(thrown_by([] { generate("mnist", "", {.samples = 10}); }).kind, Error::Kind::kUsage);
}

TEST(Generate, GivesTheTestSplitAtLeastOneSample) {
  const TemporaryDirectory home;
  generate("mnist", home / "six", {.samples = 11});
  EXPECT_EQ(fs::file_size(home / "six" / "t10k-labels-idx1-ubyte"), 8 + 1);
}

TEST(Generate, TakesOverAnEmptyDirectoryAndCreatesMissingParents) {
  const TemporaryDirectory home;
  fs::create_directory(home / "empty");
  EXPECT_EQ(generate("mnist", home / "empty", {.samples = 10}), Generated::kMade);
  EXPECT_EQ(generate("mnist", home / "a" / "b" / "c" / "", {.samples = 10}), Generated::kMade);
  EXPECT_EQ(test::checksums_in(home / "empty"), test::checksums_in(home / "a" / "b" / "c"));
}

// Two processes that make the same data at once: the second to finish used to fail with "Directory not empty".
TEST(Generate, FindsTheDataSetAlreadyThereWhereAnotherProcessMadeItInTheMeantime) {
  const TemporaryDirectory home;
  const auto with_other = [&](const GenerateOptions& other) {
    bool made = false;
    return generate("mnist", home / "a" / "data", {.samples = 10}, [&](std::size_t, std::size_t) {
      if (!std::exchange(made, true)) generate("mnist", home / "a" / "data", other);
    });
  };
  EXPECT_EQ(with_other({.samples = 10}), Generated::kAlreadyThere);
  fs::remove_all(home / "a");
  const Thrown thrown = thrown_by([&] { with_other({.samples = 10, .seed = 2}); });
  EXPECT_THAT(thrown.message, HasSubstr("something else is there (train-images-idx3-ubyte differs in content)"));
  EXPECT_EQ(std::distance(fs::directory_iterator(home / "a"), fs::directory_iterator()), 1);
}

TEST(Generate, FollowsALinkToAnEmptyDirectory) {
  const TemporaryDirectory home;
  fs::create_directory(home / "there");
  fs::create_directory_symlink(home / "there", home / "link");
  EXPECT_EQ(generate("mnist", home / "link", {.samples = 10}), Generated::kMade);
  EXPECT_TRUE(fs::is_symlink(home / "link"));
  EXPECT_EQ(test::sizes_in(home / "there").size(), 4);
}

TEST(Generate, MakesTheDirectoryThatALinkLeadsToThoughItIsMissing) {
  const TemporaryDirectory home;
  fs::create_symlink("there", home / "link");
  EXPECT_EQ(generate("mnist", home / "link", {.samples = 10}), Generated::kMade);
  EXPECT_TRUE(fs::is_symlink(home / "link"));
  EXPECT_EQ(test::sizes_in(home / "there").size(), 4);
}

TEST(Generate, RefusesADirectoryThatHoldsSomethingElse) {
  const TemporaryDirectory home;
  fs::create_directory(home / "data");
  write(home / "data" / "thesis.tex", "ten years of work");
  const Thrown thrown = thrown_by([&] { generate("mnist", home / "data", {.samples = 10}); });
  EXPECT_EQ(thrown.message, "cannot make " + (home / "data").string() +
                                ": something else is there (without train-images-idx3-ubyte); name another directory "
                                "or remove this one");
  EXPECT_EQ(test::bytes_of(home / "data" / "thesis.tex"), "ten years of work");
  EXPECT_EQ(test::sizes_in(home / "data").size(), 1);
}

TEST(Generate, RefusesADataSetWithAnExtraFile) {
  const TemporaryDirectory home;
  generate("mnist", home / "data", {.samples = 10});
  write(home / "data" / "notes.txt", "mine");
  EXPECT_THAT(thrown_by([&] { generate("mnist", home / "data", {.samples = 10}); }).message,
              HasSubstr("something else is there (holding notes.txt)"));
  EXPECT_EQ(test::bytes_of(home / "data" / "notes.txt"), "mine");
}

TEST(Generate, RefusesADataSetOfAnotherSize) {
  const TemporaryDirectory home;
  generate("mnist", home / "data", {.samples = 10});
  EXPECT_THAT(thrown_by([&] { generate("mnist", home / "data", {.samples = 20}); }).message,
              HasSubstr("something else is there (train-images-idx3-ubyte differs in size)"));
}

TEST(Generate, FindsASingleChangedByte) {
  const TemporaryDirectory home;
  generate("cifar10", home / "data", {.samples = 10});
  const fs::path file = home / "data" / "test_batch.bin";
  std::string bytes = test::bytes_of(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write(file, bytes);
  EXPECT_THAT(thrown_by([&] { generate("cifar10", home / "data", {.samples = 10}); }).message,
              HasSubstr("something else is there (test_batch.bin differs in content)"));
  EXPECT_EQ(test::bytes_of(file), bytes);
}

TEST(Generate, RefusesAFileInPlaceOfTheDirectory) {
  const TemporaryDirectory home;
  write(home / "data", "not a directory");
  EXPECT_THAT(thrown_by([&] { generate("mnist", home / "data", {.samples = 10}); }).message,
              HasSubstr("something else is there (not a directory)"));
  EXPECT_EQ(test::bytes_of(home / "data"), "not a directory");
}

TEST(Generate, RefusesAParentThatIsAFile) {
  const TemporaryDirectory home;
  write(home / "file", "in the way");
  EXPECT_THAT(thrown_by([&] { generate("mnist", home / "file" / "data", {.samples = 10}); }).message,
              HasSubstr((home / "file").string()));
  EXPECT_EQ(test::bytes_of(home / "file"), "in the way");
}

TEST(Generate, NamesAParentThatCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const TemporaryDirectory home;
  fs::permissions(home.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const Thrown direct = thrown_by([&] { generate("mnist", home / "data", {.samples = 10}); });
  const Thrown deeper = thrown_by([&] { generate("mnist", home / "new" / "data", {.samples = 10}); });
  fs::permissions(home.path(), fs::perms::owner_all);
  EXPECT_THAT(direct.message, HasSubstr((home / "data").string() + ": Permission denied"));
  EXPECT_THAT(deeper.message, HasSubstr((home / "new").string() + ": Permission denied"));
  EXPECT_TRUE(fs::is_empty(home.path()));
}

TEST(Generate, DoesNotStartIfAStopWasAlreadyRequested) {
  const TemporaryDirectory home;
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(generate("mnist", home / "data", {.samples = 10}, {}, source.get_token()), Error);
  EXPECT_TRUE(fs::is_empty(home.path()));
}

TEST(Generate, KeepsADataSetWhenStoppedWhileComparing) {
  const TemporaryDirectory home;
  generate("mnist", home / "data", {.samples = 10});
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(generate("mnist", home / "data", {.samples = 10}, {}, source.get_token()), Error);
  EXPECT_EQ(generate("mnist", home / "data", {.samples = 10}), Generated::kAlreadyThere);
}

}  // namespace
}  // namespace loadline
