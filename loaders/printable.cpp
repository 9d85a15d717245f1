#include "loaders/printable.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace loadline {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

// RFC 3629: the shortest form, no surrogates, nothing above U+10FFFF.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >> 5U == 0x6 ? 2 : lead >> 4U == 0xe ? 3 : lead >> 3U == 0x1e ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (byte(i) >> 6U != 0x2) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[bytes] || code > 0x10ffff || surrogate ? Character() : Character{code, bytes};
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

// Whether it separates lines or paragraphs, or changes the direction of text.
bool rearranges(std::uint32_t code) {
  return code == 0x2028 || code == 0x2029 || code == 0x200e || code == 0x200f || code == 0x61c ||
         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string visible(std::uint32_t code) {
  switch (code) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
  }
}

std::string shown(std::string_view text, bool keeps_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_of(text);
    if (c.bytes == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    const bool plain = (keeps_lines && c.code == '\n') || (!is_control(c.code) && !rearranges(c.code));
    out += plain ? std::string(text.substr(0, c.bytes)) : visible(c.code);
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return shown(text, false);
}

std::string printable_lines(std::string_view text) {
  return shown(text, true);
}

}  // namespace loadline
