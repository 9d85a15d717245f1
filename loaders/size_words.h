// Sizes in words.
#pragma once

#include <cstdint>
#include <string>

namespace loadline {

// "512 bytes", "1.5 KiB", "24.0 GiB".
std::string size_words(std::uint64_t bytes);

}  // namespace loadline
