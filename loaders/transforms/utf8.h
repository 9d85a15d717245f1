// UTF-8, as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace loadline {

// How many bytes from the front are whole characters; text.size() where all of them are.
std::size_t valid_utf8(std::string_view text);

// Whether a byte is in a character and not its first.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

}  // namespace loadline
