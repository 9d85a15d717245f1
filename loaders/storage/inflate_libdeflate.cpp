#include <libdeflate.h>

#include "loaders/error.h"
#include "loaders/storage/inflate.h"

namespace loadline {

struct Inflater::State {
  libdeflate_decompressor* decompressor = nullptr;
};

Inflater::Inflater() : state_(std::make_unique<State>()) {
  state_->decompressor = libdeflate_alloc_decompressor();
  if (state_->decompressor == nullptr) throw Error("cannot inflate: libdeflate refused to start");
}

Inflater::~Inflater() {
  libdeflate_free_decompressor(state_->decompressor);
}

bool Inflater::inflate(std::span<const std::byte> block, std::span<std::byte> out) {
  // Without a pointer for the length, only filling `out` exactly is success.
  return libdeflate_zlib_decompress(state_->decompressor, block.data(), block.size(), out.data(), out.size(),
                                    nullptr) == LIBDEFLATE_SUCCESS;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace loadline
