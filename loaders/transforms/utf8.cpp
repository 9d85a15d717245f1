#include "loaders/transforms/utf8.h"

#include <cstdint>
#include <cstring>

namespace loadline {
namespace {

// What may follow a first byte (the Unicode Standard, table 3-7). 0 bytes: not a first byte.
struct Form {
  std::size_t bytes = 0;
  unsigned char least = 0x80;  // of the second byte
  unsigned char most = 0xbf;
};

Form form_of(unsigned char first) {
  if (first < 0x80) return {.bytes = 1};
  if (first < 0xc2) return {};
  if (first < 0xe0) return {.bytes = 2};
  if (first == 0xe0) return {.bytes = 3, .least = 0xa0};
  if (first == 0xed) return {.bytes = 3, .most = 0x9f};
  if (first < 0xf0) return {.bytes = 3};
  if (first == 0xf0) return {.bytes = 4, .least = 0x90};
  if (first < 0xf4) return {.bytes = 4};
  if (first == 0xf4) return {.bytes = 4, .most = 0x8f};
  return {};
}

}  // namespace

std::size_t valid_utf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;
    while (at + sizeof eight <= text.size()) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & kHighBits) != 0) break;
      at += sizeof eight;
    }
    if (at == text.size()) break;
    const Form form = form_of(static_cast<unsigned char>(text[at]));
    if (form.bytes == 0 || at + form.bytes > text.size()) return at;
    if (form.bytes > 1) {
      const auto second = static_cast<unsigned char>(text[at + 1]);
      if (second < form.least || second > form.most) return at;
    }
    for (std::size_t i = 2; i < form.bytes; ++i) {
      if (!continues_character(text[at + i])) return at;
    }
    at += form.bytes;
  }
  return at;
}

}  // namespace loadline
