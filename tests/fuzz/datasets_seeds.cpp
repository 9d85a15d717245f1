#include "tests/fuzz/datasets_files.h"
#include "tests/fuzz/replay.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/npy_files.h"
#include "tests/loaders/support/shard_files.h"
#include "tests/loaders/support/token_files.h"
#include "tests/loaders/support/volumes.h"

namespace loadline::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes files(std::uint8_t row, const std::string& first, const std::string& second) {
  std::string all{static_cast<char>(row), static_cast<char>(first.size() & 0xffU),
                  static_cast<char>(first.size() >> 8U & 0xffU)};
  all += first + second;
  return {all.begin(), all.end()};
}

constexpr std::uint8_t kU8 = 0;
constexpr std::uint8_t kU16 = 2;
constexpr std::uint8_t kI32 = 3;
constexpr std::uint8_t kU64 = 4;
constexpr std::uint8_t kF32 = 5;

// Appends a description in the form that the target reads. The values count up from 0, and again after `period`.
void describe(Bytes& out, std::uint8_t type, const Bytes& extents, std::uint8_t layout, std::uint8_t period) {
  out.push_back(type);
  out.push_back(static_cast<std::uint8_t>(extents.size()));
  out.insert(out.end(), extents.begin(), extents.end());
  out.push_back(layout);
  if (layout > 1) {
    for (const std::uint8_t extent : extents) out.push_back(static_cast<std::uint8_t>(extent - 1));  // one chunk
    const bool filtered = layout == 3;
    out.push_back(filtered ? 1 : 0);
    out.push_back(filtered ? 1 : 0);
    if (filtered) out.push_back(6);
    out.push_back(0);
  }
  constexpr std::uint8_t kWritten = 1;
  constexpr std::uint8_t kLeast = 8;
  out.insert(out.end(), {kLeast, static_cast<std::uint8_t>(period - 1), kWritten, 0});
}

// Appends an empty third dataset to a description of two.
void describe_nothing(Bytes& out) {
  constexpr std::size_t kOfAScalar = 7;  // type, rank, layout, least, period, written, attribute
  out.insert(out.end(), kOfAScalar, 0);
}

// Appends a change to a description of three datasets: the `place`-th of those that lie in one piece claims to begin at
// a number at which sums wrap and, with `length_too`, to have such a length.
void change_address(Bytes& out, std::uint8_t place, std::uint8_t number, bool length_too) {
  constexpr std::uint8_t kWidth8 = 3;
  constexpr std::uint8_t kWidth4 = 2;  // selects the length, which follows the address
  const auto change = [&](std::uint8_t width, std::uint8_t which) {
    out.insert(out.end(), {width, which, static_cast<std::uint8_t>(2 + place), 0, 0});
  };
  out.push_back(length_too ? 2 : 1);
  if (length_too) change(kWidth4, 1);
  change(kWidth8, number);
}

}  // namespace

std::vector<Bytes> fuzz_seeds() {
  const std::string images = idx_images(3, 2, 2);
  const std::string labels = idx_labels({0, 7, 3});
  constexpr VolumeShape kShape{.edge = 3, .input_channels = 1, .target_channels = 2};
  std::vector<Bytes> seeds{
      files(fuzzed_row("train-labels-idx1-ubyte"), images, labels),
      files(fuzzed_row("train-labels-idx1-ubyte.gz"), gzip_of(images), gzip_of(labels)),
      files(fuzzed_row("data_batch_2.bin"), cifar10({1, 2, 3}), cifar10({4})),
      files(fuzzed_row("test.bin"), cifar100({{1, 2}, {3, 4}}), cifar100({{0, 0}})),
      files(fuzzed_row("Hydro.npy"), npy_bytes(Field::kInput, kShape), npy_bytes(Field::kTarget, kShape)),
      files(fuzzed_row("train.idx"), counting_tokens<std::uint16_t>(20), index_bytes({.lengths = {10, 1, 5, 0, 2, 2}})),
      files(fuzzed_row("train.idx"), counting_tokens<std::uint16_t>(20),
            index_bytes({.lengths = {10, 1, 5, 0, 2, 2}, .documents = {0, 1, 2, 3, 4, 6}})),
      files(fuzzed_row("train.idx"), counting_tokens<std::uint32_t>(7), index_bytes({.code = 4, .lengths = {4, 3}})),
      files(fuzzed_row("b.tar"), tar_sample("1", "first", 1) + tar_sample("2", "second", 0, "png") + tar_end(),
            gnu_long_file(std::string(120, 'k') + ".jpg", "third") + pax_file("4.jpg", "fourth")),
      files(fuzzed_row("b.tar"), tar_file("1.jpg", "first") + tar_file("1.json", R"({"label": 2})") + tar_end(), ""),
      files(fuzzed_row("b.tfrecord"), tfrecord_of(example_of("first", 1)) + tfrecord_of(example_of("second", 300)),
            tfrecord_of(example_of(std::string(1500, 'x'), 0))),
      files(fuzzed_row("labels.npy"), npy_of("|u1", "3, 5, 6, 3", std::string(270, '\7')),
            npy_of("<i4", "3,", std::string(12, '\0'))),
      files(fuzzed_row("labels.npy"), npy_of("|u1", "3, 1, 2, 5", std::string(30, '\7')),
            npy_of("|u1", "3, 1", "\1\2\3")),
      files(fuzzed_row("b.npz"), npz_of("images", "labels", false), ""),
      files(fuzzed_row("b.npz"), npz_of("x_train", "y_train", true), ""),
  };
  for (std::uint8_t layout = 0; layout < 4; ++layout) {
    Bytes plain{kFuzzedHdf5, 0};
    describe(plain, kU8, {3, 2, 2, 3}, layout, 250);
    describe(plain, kI32, {3}, 0, 1);
    Bytes channels_last{kFuzzedHdf5, 0};
    describe(channels_last, kU8, {3, 5, 2, 3}, layout, 250);
    describe(channels_last, kI32, {3, 1}, 0, 1);
    Bytes packed{kFuzzedHdf5, 1};
    describe(packed, kU8, {5}, layout, 250);
    describe(packed, kU64, {4}, 0, 250);
    describe(packed, kU16, {3}, 0, 2);
    Bytes volume{kFuzzedHdf5, 2};
    describe(volume, kF32, {1, 3, 3, 3}, layout, 200);
    describe(volume, kF32, {2, 3, 3, 3}, layout, 100);
    seeds.insert(seeds.end(), {plain, channels_last, packed, volume});
    if (layout > 0) continue;
    describe_nothing(plain);
    describe_nothing(volume);
    for (std::uint8_t number = 0; number < 12; ++number) {
      for (const Bytes& whole : {plain, packed, volume}) {
        Bytes changed = whole;
        change_address(changed, 0, number, number % 4 == 3);
        seeds.push_back(changed);
      }
    }
  }
  return seeds;
}

}  // namespace loadline::test
