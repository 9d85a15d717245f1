#include <zlib.h>

#include <limits>

#include "loaders/error.h"
#include "loaders/storage/inflate.h"

namespace loadline {

struct Inflater::State {
  z_stream stream{};
};

Inflater::Inflater() : state_(std::make_unique<State>()) {
  if (inflateInit(&state_->stream) != Z_OK) throw Error("cannot inflate: zlib refused to start");
}

Inflater::~Inflater() {
  inflateEnd(&state_->stream);
}

bool Inflater::inflate(std::span<const std::byte> block, std::span<std::byte> out) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();  // zlib counts in 32 bits, and so do chunks of HDF5
  if (block.size() > kMost || out.size() > kMost) return false;
  z_stream& stream = state_->stream;
  inflateReset(&stream);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(block.data()));
  stream.avail_in = static_cast<uInt>(block.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  return ::inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace loadline
