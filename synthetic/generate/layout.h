// The plan of a generated dataset: formats describe their files as data, and generate.cpp writes or compares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace loadline {

enum class TextForm : std::uint8_t;  // generate.h

// One split: its number of samples, and a key that differs for every seed and split.
struct SplitPlan {
  std::uint64_t key;
  std::size_t samples;
};

// Fills a record from its index alone, so that records may be made in any order and on any thread.
using FillRecord = std::function<void(std::size_t index, std::span<std::uint8_t> record)>;

// One file: a header, then `records` records of `record_bytes` bytes each, filled for the indices from `first` on.
struct PlannedFile {
  std::string name;
  std::string header = {};
  std::size_t first = 0;
  std::size_t records = 0;
  std::size_t record_bytes = 0;
  FillRecord fill = {};
  bool holds_samples = true;  // false for a file of labels, whose samples are counted with their pictures

  std::size_t bytes() const { return header.size() + records * record_bytes; }
};

// The label of sample `index`: each run of `classes` samples that begins at a multiple of `classes` has every class
// once, in its own order. `classes` is at most 256.
std::uint8_t balanced_label(const SplitPlan& split, std::size_t index, std::size_t classes);

// The key from which the picture of sample `index` is drawn.
std::uint64_t picture_key(const SplitPlan& split, std::size_t index);

// The files of each format.
std::vector<PlannedFile> cifar10_files(std::uint64_t seed, const SplitPlan& train, const SplitPlan& test);
std::vector<PlannedFile> cifar100_files(std::uint64_t seed, const SplitPlan& train, const SplitPlan& test);
inline constexpr std::size_t kPageTokens = 4096;  // in token plans a sample is a page of whole documents
std::vector<PlannedFile> tokens_files(const SplitPlan& train, const SplitPlan& test);
inline constexpr std::size_t kPageBytes = 16384;  // in text plans a sample is a page of whole documents
std::vector<PlannedFile> text_files(TextForm form, const SplitPlan& train, const SplitPlan& test);
std::vector<PlannedFile> mnist_files(std::uint64_t seed, const SplitPlan& train, const SplitPlan& test);

}  // namespace loadline
