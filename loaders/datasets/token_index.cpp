#include "loaders/datasets/token_index.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string_view>

#include "loaders/error.h"
#include "loaders/storage/mapping.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTokenIndexMagic{"MMIDIDX\0\0", 9};
constexpr std::size_t kHeadBytes = 34;
// NumPy's names by the format's codes.
constexpr std::array<std::string_view, 9> kTypeNames{"",      "uint8",   "int8",    "int16", "int32",
                                                     "int64", "float64", "float32", "uint16"};
constexpr std::uint8_t kInt32 = 4;
constexpr std::uint8_t kUInt16 = 8;

Error index_refusal(const fs::path& path, const std::string& why) {
  return Error(fmt::format("cannot open {}: {}", path.string(), why));
}

// The format packs its numbers: they may be unaligned.
template <typename T>
T number_at(std::span<const std::byte> bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The three lists of an index, each checked against the length of the file.
struct Index {
  explicit Index(const MappedFile& file) : path(file.path()) {
    const auto head = file.part("its head", 0, kHeadBytes, 1);
    if (std::memcmp(head.data(), kTokenIndexMagic.data(), kTokenIndexMagic.size()) != 0) {
      throw index_refusal(path, "it does not begin like a Megatron-LM index");
    }
    if (const auto version = number_at<std::uint64_t>(head, 9); version != 1) {
      throw index_refusal(path, fmt::format("its version is {}, want 1", version));
    }
    const auto code = number_at<std::uint8_t>(head, 17);
    if (code != kUInt16 && code != kInt32) {
      throw index_refusal(
          path, code > 0 && code < kTypeNames.size()
                    ? fmt::format("its tokens are {}, want uint16 or int32", kTypeNames.at(code))
                    : fmt::format("its tokens have type {}, which the format does not define", unsigned{code}));
    }
    token_bytes = code == kUInt16 ? 2 : 4;
    sequences = number_at<std::uint64_t>(head, 18);
    entries = number_at<std::uint64_t>(head, 26);
    lengths = file.part("its list of lengths", kHeadBytes, sequences, 4);
    begins = file.part("its list of begins", kHeadBytes + lengths.size(), sequences, 8);
    documents = file.part("its list of documents", kHeadBytes + lengths.size() + begins.size(), entries, 8);
    if (sequences == 0) throw index_refusal(path, "it has no sequences");
    if (entries < 2) throw index_refusal(path, "it has no documents");
  }

  // The checked length of this sequence, in tokens.
  std::uint64_t length(std::size_t sequence) const {
    const auto value = number_at<std::int32_t>(lengths, sequence * 4);
    if (value < 0) throw index_refusal(path, fmt::format("sequence {} has {} tokens", sequence, value));
    return static_cast<std::uint64_t>(value);
  }
  std::uint64_t begin(std::size_t sequence) const {
    const auto value = number_at<std::int64_t>(begins, sequence * 8);
    // Far below where sums would wrap.
    if (value < 0 || value >= std::int64_t{1} << 56 || static_cast<std::uint64_t>(value) % token_bytes != 0) {
      throw index_refusal(path, fmt::format("sequence {} begins at byte {}", sequence, value));
    }
    return static_cast<std::uint64_t>(value) / token_bytes;
  }

  fs::path path;
  std::size_t token_bytes = 0;
  std::size_t sequences = 0;
  std::size_t entries = 0;
  std::span<const std::byte> lengths;
  std::span<const std::byte> begins;
  std::span<const std::byte> documents;
};

}  // namespace

TokenIndexFacts read_token_index_facts(const fs::path& path) {
  const MappedFile file(path);
  const Index index(file);
  const std::size_t last = index.sequences - 1;
  const TokenIndexFacts facts{.token_bytes = index.token_bytes,
                              .sequences = index.sequences,
                              .documents = index.entries - 1,
                              .tokens = index.begin(last) + index.length(last)};
  file.check_intact();
  return facts;
}

std::vector<std::uint64_t> read_document_starts(const fs::path& path) {
  const MappedFile file(path);
  const Index index(file);
  std::vector<std::uint64_t> starts;
  starts.reserve(index.entries);
  std::uint64_t tokens = 0;
  std::size_t sequence = 0;
  for (std::size_t i = 0; i < index.entries; ++i) {
    const auto first = number_at<std::int64_t>(index.documents, i * 8);
    const auto why = [&]() -> std::string {
      if (i == 0 && first != 0) return "want 0";
      if (first < 0 || static_cast<std::uint64_t>(first) < sequence) return fmt::format("want at least {}", sequence);
      if (static_cast<std::uint64_t>(first) > index.sequences) {
        return fmt::format("of which there are {}", index.sequences);
      }
      return "";
    }();
    if (!why.empty()) throw index_refusal(path, fmt::format("document {} begins with sequence {}, {}", i, first, why));
    for (; sequence < static_cast<std::uint64_t>(first); ++sequence) {
      if (index.begin(sequence) != tokens) {
        throw index_refusal(path, fmt::format("sequence {} begins at token {}, want {}, where the one before it ends",
                                              sequence, index.begin(sequence), tokens));
      }
      tokens += index.length(sequence);
    }
    starts.push_back(tokens);
  }
  file.check_intact();
  if (sequence != index.sequences) {
    throw index_refusal(path, fmt::format("its documents have {} of {} sequences", sequence, index.sequences));
  }
  return starts;
}

}  // namespace loadline
