// The records of TFRecord files: the length, the bytes, and a checksum of each. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// One record, as in the file.
std::string record_of(std::string_view payload);

}  // namespace loadline
