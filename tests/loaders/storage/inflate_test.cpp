#include "loaders/storage/inflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

namespace loadline {
namespace {

std::vector<std::byte> deflated(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::vector<std::byte> block(size);
  compress(reinterpret_cast<Bytef*>(block.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size());
  block.resize(size);
  return block;
}

TEST(Inflater, InflatesOneBlockAfterAnother) {
  Inflater inflater;
  for (const std::string text : {"so it goes", "", "and again, and again, and again"}) {
    std::string out(text.size(), '?');
    EXPECT_TRUE(inflater.inflate(deflated(text), std::as_writable_bytes(std::span(out))));
    EXPECT_EQ(out, text);
  }
}

TEST(Inflater, RefusesABlockOfTheWrongLength) {
  Inflater inflater;
  std::array<std::byte, 9> shorter{};
  std::array<std::byte, 11> longer{};
  EXPECT_FALSE(inflater.inflate(deflated("ten bytes."), shorter));
  EXPECT_FALSE(inflater.inflate(deflated("ten bytes."), longer));
}

TEST(Inflater, RefusesATruncatedAndACorruptBlockAndGoesOn) {
  Inflater inflater;
  std::array<std::byte, 10> out{};
  auto block = deflated("ten bytes.");
  EXPECT_FALSE(inflater.inflate(std::span(block).first(block.size() - 1), out));
  block.back() ^= std::byte{1};  // of the checksum
  EXPECT_FALSE(inflater.inflate(block, out));
  EXPECT_TRUE(inflater.inflate(deflated("ten bytes."), out));
}

// The check value of the catalogue of parametrised CRC algorithms for CRC-32/ISO-HDLC.
TEST(Crc32, IsThatOfPng) {
  EXPECT_EQ(crc32_of(std::as_bytes(std::span("123456789", 9))), 0xcbf43926U);
  EXPECT_EQ(crc32_of({}), 0U);
}

}  // namespace
}  // namespace loadline
