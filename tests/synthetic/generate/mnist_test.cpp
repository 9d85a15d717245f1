#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "synthetic/generate/generate.h"
#include "synthetic/generate/layout.h"
#include "tests/synthetic/generate/generated.h"

namespace loadline {
namespace {

using Sizes = std::map<std::string, std::size_t>;
using Sums = std::map<std::string, std::uint64_t>;
using namespace std::string_literals;

std::vector<test::Picture> pictures(const PlannedFile& images, const PlannedFile& labels) {
  std::vector<test::Picture> out;
  std::vector<std::uint8_t> pixels(images.record_bytes);
  std::vector<std::uint8_t> label(labels.record_bytes);
  for (std::size_t i = 0; i < images.records; ++i) {
    images.fill(i, pixels);
    labels.fill(i, label);
    out.push_back({label[0], std::vector<float>(pixels.begin(), pixels.end())});
  }
  return out;
}

TEST(Mnist, HasThePublishedFiles) {
  const test::TemporaryDirectory home;
  generate("mnist", home / "data", {.samples = 60});
  EXPECT_EQ(test::sizes_in(home / "data"), (Sizes{{"t10k-images-idx3-ubyte", 16 + 10 * 784},
                                                  {"t10k-labels-idx1-ubyte", 8 + 10},
                                                  {"train-images-idx3-ubyte", 16 + 60 * 784},
                                                  {"train-labels-idx1-ubyte", 8 + 60}}));
}

TEST(Mnist, WritesThePublishedHeaders) {
  const auto files = mnist_files(1, {.key = 1, .samples = 60'000}, {.key = 2, .samples = 10'000});
  EXPECT_EQ(files[0].header, "\0\0\x08\x03\0\0\xea\x60\0\0\0\x1c\0\0\0\x1c"s);
  EXPECT_EQ(files[1].header, "\0\0\x08\x01\0\0\xea\x60"s);
  EXPECT_EQ(files[2].header, "\0\0\x08\x03\0\0\x27\x10\0\0\0\x1c\0\0\0\x1c"s);
  EXPECT_EQ(files[3].header, "\0\0\x08\x01\0\0\x27\x10"s);
}

TEST(Mnist, IsTheSameBytesOnEveryMachine) {
  const test::TemporaryDirectory home;
  generate("mnist", home / "data", {.samples = 60});
  EXPECT_EQ(test::checksums_in(home / "data"), (Sums{{"t10k-images-idx3-ubyte", 0xf07c44df651971d7ULL},
                                                     {"t10k-labels-idx1-ubyte", 0x5fec344c178b4385ULL},
                                                     {"train-images-idx3-ubyte", 0x98c0c27ff670ccb9ULL},
                                                     {"train-labels-idx1-ubyte", 0x78c5bec260283078ULL}}));
}

TEST(Mnist, IsLearntByASimpleClassifierOnlyInPart) {
  const auto files = mnist_files(1, {.key = 1, .samples = 2000}, {.key = 2, .samples = 500});
  const double accuracy = test::nearest_mean_accuracy(pictures(files[0], files[1]), pictures(files[2], files[3]), 10);
  EXPECT_GE(accuracy, 0.70);  // chance: 0.10
  EXPECT_LE(accuracy, 0.95);
}

}  // namespace
}  // namespace loadline
