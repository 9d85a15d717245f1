// The bytes of tiny shards, sound and odd, made from the formats' own descriptions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/storage/crc32c.h"

namespace loadline::test {

// ---- tar

inline std::string tar_block(std::string_view name, std::size_t bytes, char type = '0', std::string_view prefix = "") {
  std::string block(512, '\0');
  const auto put = [&](std::size_t at, std::string_view text) { block.replace(at, text.size(), text); };
  const auto octal = [](std::size_t value, std::size_t digits) {
    std::string text(digits, '0');
    for (std::size_t i = digits; i-- > 0; value /= 8) text[i] = static_cast<char>('0' + value % 8);
    return text;
  };
  put(0, name);
  put(100, "0000644");
  put(124, octal(bytes, 11));
  put(148, "        ");
  block[156] = type;
  put(257, "ustar");
  put(263, "00");
  put(345, prefix);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + '\0');
  return block;
}

// A file in an archive: its header, its bytes, and zeros up to a whole block.
inline std::string tar_file(std::string_view name, std::string_view bytes, char type = '0',
                            std::string_view prefix = "") {
  std::string all = tar_block(name, bytes.size(), type, prefix);
  all += bytes;
  return all.append((512 - bytes.size() % 512) % 512, '\0');
}

// A file whose name is too long for its header, as GNU tar writes it.
inline std::string gnu_long_file(const std::string& name, std::string_view bytes) {
  return tar_file("././@LongLink", name + '\0', 'L') + tar_file(name.substr(0, 100), bytes);
}

// The same as POSIX.1-2001 defines it. `more` holds further complete records.
inline std::string pax_file(const std::string& name, std::string_view bytes, const std::string& more = "") {
  const std::string rest = " path=" + name + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return tar_file("PaxHeaders/x", std::to_string(length) + rest + more, 'x') + tar_file(name.substr(0, 20), bytes);
}

inline std::string tar_end() {
  return std::string(1024, '\0');
}

// An image and its label.
inline std::string tar_sample(const std::string& key, std::string_view image, int label,
                              const std::string& kind = "jpg") {
  return tar_file(key + "." + kind, image) + tar_file(key + ".cls", std::to_string(label));
}

// ---- TFRecord

inline std::string little_endian_bytes(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i & 0xffU);
  return bytes;
}

inline std::string tfrecord_of(std::string_view payload) {
  const auto checksum = [](std::string_view bytes) {
    return little_endian_bytes(masked(crc32c_by_tables(std::as_bytes(std::span(bytes)))), 4);
  };
  const std::string length = little_endian_bytes(payload.size(), 8);
  return length + checksum(length) + std::string(payload) + checksum(payload);
}

inline std::string proto_varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value /= 128) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

inline std::string proto_field(unsigned number, std::string_view content) {
  return proto_varint(number * 8 + 2) + proto_varint(content.size()) + std::string(content);
}

inline std::string proto_number(unsigned number, std::uint64_t value) {
  return proto_varint(number * 8) + proto_varint(value);
}

// An entry of a map of features; kind 1: bytes, 3: whole numbers.
inline std::string proto_feature(std::string_view name, unsigned kind, std::string_view list) {
  return proto_field(1, proto_field(1, name) + proto_field(2, proto_field(kind, list)));
}

inline std::string example_of(std::string_view image, int label) {
  return proto_field(
      1, proto_feature("image/height", 3, proto_field(1, proto_varint(24))) +
             proto_feature("image/encoded", 1, proto_field(1, image)) +
             proto_feature("image/class/label", 3, proto_field(1, proto_varint(static_cast<std::uint64_t>(label)))));
}

}  // namespace loadline::test
