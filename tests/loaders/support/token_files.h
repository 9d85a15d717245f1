// Small files of tokens, and indices as Megatron-LM's tools write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loadline::test {

template <typename T>
std::string little_bytes(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i & 0xffU);
  }
  return bytes;
}

// Token i is 1,000 + i.
template <typename Stored>
std::string counting_tokens(std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += little_bytes(static_cast<Stored>(1000 + i));
  return bytes;
}

struct IndexParts {
  std::string magic{"MMIDIDX\0\0", 9};
  std::uint64_t version = 1;
  std::uint8_t code = 8;  // uint16
  std::vector<std::int32_t> lengths;
  std::vector<std::int64_t> begins;     // empty: back to back
  std::vector<std::int64_t> documents;  // empty: one sequence each
};

inline std::string index_bytes(IndexParts parts) {
  const std::int64_t token_bytes = parts.code == 8 ? 2 : 4;
  if (parts.begins.empty()) {
    std::int64_t begin = 0;
    for (const std::int32_t length : parts.lengths) {
      parts.begins.push_back(begin);
      begin += length * token_bytes;
    }
  }
  if (parts.documents.empty()) {
    for (std::size_t i = 0; i <= parts.lengths.size(); ++i) parts.documents.push_back(static_cast<std::int64_t>(i));
  }
  std::string bytes = parts.magic + little_bytes(parts.version) + little_bytes(parts.code) +
                      little_bytes(std::uint64_t{parts.lengths.size()}) +
                      little_bytes(std::uint64_t{parts.documents.size()});
  for (const std::int32_t value : parts.lengths) bytes += little_bytes(value);
  for (const std::int64_t value : parts.begins) bytes += little_bytes(value);
  for (const std::int64_t value : parts.documents) bytes += little_bytes(value);
  return bytes;
}

}  // namespace loadline::test
