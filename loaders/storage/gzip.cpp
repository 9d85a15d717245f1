#include "loaders/storage/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "loaders/error.h"
#include "loaders/storage/mapping.h"

namespace loadline {

struct GzipReader::State {
  explicit State(const std::filesystem::path& path) : file(path), rest(file.bytes()) {}

  [[noreturn]] void fail(const char* reason) const {
    throw Error(fmt::format("cannot inflate {}: {}", file.path().string(), reason));
  }

  // zlib counts in 32 bits.
  void offer_input() {
    const std::size_t size = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(rest.data()));
    stream.avail_in = static_cast<uInt>(size);
    rest = rest.subspan(size);
  }

  MappedFile file;
  std::span<const std::byte> rest;  // not offered to zlib yet
  z_stream stream{};
  bool ended = false;  // between members
};

GzipReader::GzipReader(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&state_->stream, kGzipOnly) != Z_OK) state_->fail("zlib refused to start");
}

GzipReader::~GzipReader() {
  inflateEnd(&state_->stream);
}

std::size_t GzipReader::read(std::span<std::byte> out) {
  z_stream& stream = state_->stream;
  std::size_t done = 0;
  while (done < out.size()) {
    if (stream.avail_in == 0) state_->offer_input();
    if (stream.avail_in == 0) {
      if (state_->ended) break;
      state_->fail("the file ends before its data does (truncated)");
    }
    if (state_->ended) {
      inflateReset(&stream);
      state_->ended = false;
    }
    const std::size_t room = std::min<std::size_t>(out.size() - done, std::numeric_limits<uInt>::max());
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    done += room - stream.avail_out;
    if (status == Z_STREAM_END) {
      state_->ended = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      state_->fail(stream.msg != nullptr ? stream.msg : "corrupt data");
    }
  }
  state_->file.check_intact();
  return done;
}

}  // namespace loadline
