// The words that options and settings take, each list once: the table of options offers them, and cell settings are
// read and written as them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "harness/plan/plan.h"

namespace loadline {

constexpr std::string_view name(Order order) {
  switch (order) {
    case Order::kSequential: return "sequential";
    case Order::kPageShuffled: return "page-shuffled";
    case Order::kShuffled: break;
  }
  return "shuffled";
}

inline constexpr std::array kModes{Mode::kIo, Mode::kSynthetic, Mode::kFull, Mode::kOverhead};
inline constexpr std::array kCacheStates{CacheState::kWarm, CacheState::kCold, CacheState::kAsIs};
inline constexpr std::array kFileReads{FileRead::kPread, FileRead::kMmap, FileRead::kUring};
inline constexpr std::array kDTypes{DType::kU8, DType::kF32, DType::kBF16};  // of images and volumes
inline constexpr std::array kEveryDType{DType::kU8, DType::kF32, DType::kBF16, DType::kI32};
inline constexpr std::array kSequences{Sequences::kRandom, Sequences::kConsecutive, Sequences::kDocuments,
                                       Sequences::kPadded, Sequences::kPacked};
inline constexpr std::array kEveryDocuments{TextDocuments::kAuto, TextDocuments::kLines, TextDocuments::kFiles};
inline constexpr std::array kLayouts{Layout::kNCHW, Layout::kNHWC};
inline constexpr std::array kEveryStore{Stores::kCached, Stores::kStreaming};
inline constexpr std::array kPrecisions{Precision::kF32, Precision::kBF16};
inline constexpr std::array kPhotoCrops{PhotoCrop::kRandomResized, PhotoCrop::kCentre, PhotoCrop::kNone};
inline constexpr std::array kDecoders{PhotoDecoder::kJpeg, PhotoDecoder::kOpenCv};
inline constexpr std::array kOrders{Order::kShuffled, Order::kPageShuffled, Order::kSequential};

// Two words; the first means yes.
struct WordPair {
  std::string_view yes;
  std::string_view no;
};

inline constexpr WordPair kSplits{"train", "test"};
inline constexpr WordPair kEveryLabels{"fine", "coarse"};
inline constexpr WordPair kDeliveries{"in-order", "completion"};
inline constexpr WordPair kOnCorrupt{"fail", "skip"};
inline constexpr WordPair kSwitch{"on", "off"};

inline std::vector<std::string_view> words_of(const WordPair& pair) {
  return {pair.yes, pair.no};
}

// The name() of each value.
template <typename Enum, std::size_t N>
std::vector<std::string_view> words_of(const std::array<Enum, N>& values) {
  std::vector<std::string_view> words;
  for (const Enum value : values) words.push_back(name(value));
  return words;
}

// "auto" and the words of `values`.
template <typename Enum, std::size_t N>
std::vector<std::string_view> words_or_auto(const std::array<Enum, N>& values) {
  std::vector<std::string_view> words = words_of(values);
  words.insert(words.begin(), "auto");
  return words;
}

}  // namespace loadline
