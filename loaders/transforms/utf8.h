// UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace loadline {

// How many bytes from the front form whole, valid characters; text.size() if all do.
std::size_t valid_utf8(std::string_view text);

// Whether a byte continues a character rather than beginning one.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

}  // namespace loadline
