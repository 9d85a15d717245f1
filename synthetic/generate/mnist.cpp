// The MNIST files (LeCun, Cortes, Burges): IDX, a big-endian header of a type, the number of dimensions and their
// lengths, then the bytes.
#include <initializer_list>

#include "synthetic/generate/digit.h"
#include "synthetic/generate/layout.h"

namespace loadline {
namespace {

constexpr std::size_t kClasses = 10;

std::string idx_header(std::initializer_list<std::size_t> shape) {
  std::string header{'\0', '\0', '\x08', static_cast<char>(shape.size())};  // 8: unsigned bytes
  for (const std::size_t length : shape)
    for (int shift = 24; shift >= 0; shift -= 8) header.push_back(static_cast<char>(length >> shift & 255));
  return header;
}

PlannedFile images(const char* name, const SplitPlan& split) {
  return {.name = name,
          .header = idx_header({split.samples, kDigitSide, kDigitSide}),
          .records = split.samples,
          .record_bytes = kDigitBytes,
          .fill = [split](std::size_t index, std::span<std::uint8_t> record) {
            paint_digit(balanced_label(split, index, kClasses), picture_key(split, index), record.first<kDigitBytes>());
          }};
}

PlannedFile labels(const char* name, const SplitPlan& split) {
  return {.name = name,
          .header = idx_header({split.samples}),
          .records = split.samples,
          .record_bytes = 1,
          .fill = [split](std::size_t index,
                          std::span<std::uint8_t> record) { record[0] = balanced_label(split, index, kClasses); },
          .holds_samples = false};
}

}  // namespace

// The splits' keys contain the seed; the shapes of digits are the same for all seeds.
std::vector<PlannedFile> mnist_files(std::uint64_t, const SplitPlan& train, const SplitPlan& test) {
  return {images("train-images-idx3-ubyte", train), labels("train-labels-idx1-ubyte", train),
          images("t10k-images-idx3-ubyte", test), labels("t10k-labels-idx1-ubyte", test)};
}

}  // namespace loadline
