// Tokens of a made-up language. Each token is followed by one of four others with unequal frequency, so that a model
// learns from the previous token. Now and then a phrase of the same document repeats, so that it gains by looking
// back.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "loaders/random.h"
#include "synthetic/generate/draw.h"
#include "synthetic/generate/layout.h"

namespace loadline {
namespace {

constexpr std::uint32_t kTokenKinds = 256;
constexpr std::uint16_t kEndOfDocument = 0;
constexpr int kLeastDocument = 32;
constexpr int kMostDocument = 1024;
constexpr std::uint64_t kLanguageKey = 0x6c616e6775616765ULL;  // one language, whatever the seed

using Followers = std::array<std::array<std::uint16_t, kFollowers>, kTokenKinds>;

constexpr Followers followers() {
  Followers all{};
  Random random(kLanguageKey);
  for (auto& of_one : all) {
    for (std::uint16_t& follower : of_one) follower = static_cast<std::uint16_t>(1 + random.below(kTokenKinds - 1));
  }
  return all;
}

constexpr Followers kLanguage = followers();

// Lengths of the documents of a page, which add up to it; each ends with kEndOfDocument.
template <typename Take>
void for_each_document(std::uint64_t key, const Take& take) {
  Random random(key_of(key, 0));
  std::size_t left = kPageTokens;
  while (left > 0) {
    auto length = static_cast<std::size_t>(between(random, kLeastDocument, kMostDocument));
    if (left < length + kLeastDocument) length = left;
    take(length);
    left -= length;
  }
}

void write_document(Random& random, std::span<std::uint16_t> out) {
  const std::size_t words = out.size() - 1;
  auto token = static_cast<std::uint16_t>(1 + random.below(kTokenKinds - 1));
  for (std::size_t i = 0; i < words;) {
    if (i >= 32 && random.below(32) == 0) {
      const std::size_t length = std::min<std::size_t>(8 + random.below(9), words - i);
      const std::size_t from = random.below(static_cast<std::uint32_t>(i - length));
      for (std::size_t k = 0; k < length; ++k) out[i + k] = out[from + k];
      i += length;
      token = out[i - 1];
      continue;
    }
    out[i++] = token = kLanguage[token][draw_follower(random)];
  }
  out[words] = kEndOfDocument;
}

void fill_page(std::uint64_t key, std::span<std::uint8_t> record) {
  std::array<std::uint16_t, kPageTokens> page{};
  Random random(key_of(key, 1));
  std::size_t at = 0;
  for_each_document(key, [&](std::size_t length) {
    write_document(random, std::span(page).subspan(at, length));
    at += length;
  });
  for (std::size_t i = 0; i < kPageTokens; ++i) {
    record[2 * i] = static_cast<std::uint8_t>(page[i] & 0xffU);
    record[2 * i + 1] = static_cast<std::uint8_t>(page[i] >> 8U);
  }
}

template <typename T>
void append(std::string& bytes, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i & 0xffU);
  }
}

// As IndexedDataset of Megatron-LM has it: a sequence a document.
std::string index_bytes(const SplitPlan& split) {
  std::string lengths;
  std::string begins;
  std::string documents;
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  for (std::size_t page = 0; page < split.samples; ++page) {
    for_each_document(picture_key(split, page), [&](std::size_t length) {
      append(lengths, static_cast<std::uint32_t>(length));
      append(begins, begin);
      append(documents, count++);
      begin += 2 * length;
    });
  }
  append(documents, count);
  std::string bytes{"MMIDIDX\0\0", 9};
  append(bytes, std::uint64_t{1});
  append(bytes, std::uint8_t{8});  // uint16
  append(bytes, count);
  append(bytes, count + 1);
  return bytes + lengths + begins + documents;
}

void append_split(const std::string& name, const SplitPlan& split, std::vector<PlannedFile>& files) {
  files.push_back({.name = name + ".bin",
                   .records = split.samples,
                   .record_bytes = kPageTokens * sizeof(std::uint16_t),
                   .fill = [split](std::size_t index, std::span<std::uint8_t> record) {
                     fill_page(picture_key(split, index), record);
                   }});
  files.push_back({.name = name + ".idx", .header = index_bytes(split), .holds_samples = false});
}

}  // namespace

std::vector<PlannedFile> tokens_files(const SplitPlan& train, const SplitPlan& test) {
  std::vector<PlannedFile> files;
  append_split("train", train, files);
  append_split("val", test, files);
  return files;
}

}  // namespace loadline
