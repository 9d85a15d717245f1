#include "loaders/datasets/dataset_info.h"

namespace loadline {

std::string_view name(Access access) {
  switch (access) {
    case Access::kMapped: return "mapped";
    case Access::kResident: return "resident";
    case Access::kRows: return "hdf5-rows";
    case Access::kBlocks: return "hdf5-blocks";
    case Access::kChunks: return "hdf5-chunks";
    case Access::kFiles: return "files";
    case Access::kUnknown: return "unknown";
  }
  return "";
}

std::string_view stored_type(const DatasetInfo& info) {
  if (info.volume) return "f32";
  if (!info.tokens) return "u8";
  return info.tokens->token_bytes == 2 ? "u16" : "u32";
}

}  // namespace loadline
