// The records that TFRecord files are made of: each its length, the bytes, and a checksum of either. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// One record, as it stands in the file.
std::string record_of(std::string_view payload);

}  // namespace loadline
