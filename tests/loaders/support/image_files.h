// The bytes of tiny IDX and CIFAR files, sound and broken, made from the formats' own descriptions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tests/loaders/support/files.h"

namespace loadline::test {

inline std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(value >> shift & 0xffU);
  return bytes;
}

inline std::string idx_header(std::initializer_list<std::uint32_t> dimensions) {
  std::string bytes{'\0', '\0', '\x08', static_cast<char>(dimensions.size())};
  for (const std::uint32_t dimension : dimensions) bytes += big_endian(dimension);
  return bytes;
}

// Pixel p of image i is 10 * i + p.
inline std::string idx_images(std::uint32_t count, std::uint32_t height, std::uint32_t width) {
  std::string bytes = idx_header({count, height, width});
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t p = 0; p < height * width; ++p) bytes += static_cast<char>(10 * i + p);
  }
  return bytes;
}

inline std::string idx_labels(std::initializer_list<int> labels) {
  std::string bytes = idx_header({static_cast<std::uint32_t>(labels.size())});
  for (const int label : labels) bytes += static_cast<char>(label);
  return bytes;
}

struct ByteFile {
  std::string bytes;
};

struct TruncatedIdx : ByteFile {
  TruncatedIdx() : ByteFile{idx_images(3, 2, 2)} { bytes.pop_back(); }
};

struct OversizedIdx : ByteFile {
  OversizedIdx() : ByteFile{idx_images(3, 2, 2) + '\0'} {}
};

struct HeaderlessIdx : ByteFile {
  HeaderlessIdx() : ByteFile{idx_images(3, 2, 2).substr(0, 15)} {}
};

struct WrongMagicIdx : ByteFile {
  WrongMagicIdx() : ByteFile{idx_images(3, 2, 2)} { bytes[0] = '\x1f'; }
};

struct FloatIdx : ByteFile {
  FloatIdx() : ByteFile{idx_images(3, 2, 2)} { bytes[2] = '\x0d'; }
};

struct FlatIdx : ByteFile {
  FlatIdx() : ByteFile{idx_header({3, 4}) + std::string(12, '\1')} {}
};

struct EmptyIdx : ByteFile {
  EmptyIdx() : ByteFile{idx_images(0, 2, 2)} {}
};

// Announces more than memory can hold.
struct HugeIdx : ByteFile {
  HugeIdx() : ByteFile{idx_header({0xffffffff, 256, 256}) + std::string(8, '\1')} {}
};

// Announces more than 64 bits can count.
struct ImpossibleIdx : ByteFile {
  ImpossibleIdx() : ByteFile{idx_header({0xffffffff, 0xffffffff, 0xffffffff}) + std::string(8, '\1')} {}
};

constexpr std::size_t kCifarPixels = 3 * 32 * 32;

// Byte p of the image is first + p.
inline std::string cifar_image(unsigned first) {
  std::string bytes;
  for (unsigned p = 0; p < kCifarPixels; ++p) bytes += static_cast<char>(first + p);
  return bytes;
}

// Image i begins with byte 10 * i.
inline std::string cifar10(const std::vector<int>& labels) {
  std::string bytes;
  for (unsigned i = 0; i < labels.size(); ++i) bytes += static_cast<char>(labels[i]) + cifar_image(10 * i);
  return bytes;
}

struct TwoLabels {
  int coarse;
  int fine;
};

inline std::string cifar100(const std::vector<TwoLabels>& labels) {
  std::string bytes;
  for (unsigned i = 0; i < labels.size(); ++i) {
    bytes += static_cast<char>(labels[i].coarse);
    bytes += static_cast<char>(labels[i].fine) + cifar_image(10 * i);
  }
  return bytes;
}

struct TruncatedCifar : ByteFile {
  TruncatedCifar() : ByteFile{cifar10({1, 2, 3})} { bytes.pop_back(); }
};

struct OversizedCifar : ByteFile {
  OversizedCifar() : ByteFile{cifar10({1, 2, 3}) + "\1\2"} {}
};

}  // namespace loadline::test
