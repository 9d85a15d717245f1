#include <zlib.h>

#include <string_view>

#include "tests/fuzz/replay.h"

namespace loadline::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put_number(Bytes& out, std::size_t number) {
  for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(number >> (24U - 8 * i)));
}

void put_chunk(Bytes& out, std::string_view type, const Bytes& body) {
  put_number(out, body.size());
  const std::size_t begin = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), body.begin(), body.end());
  put_number(out, ::crc32(0, &out[begin], static_cast<uInt>(out.size() - begin)));
}

Bytes deflated(const Bytes& rows) {
  uLongf bytes = ::compressBound(rows.size());
  Bytes out(bytes);
  ::compress(out.data(), &bytes, rows.data(), rows.size());
  out.resize(bytes);
  return out;
}

struct Kind {
  std::uint8_t depth;
  std::uint8_t colour;  // 0: grey, 2: RGB, 3: palette, 4: grey and alpha, 6: RGBA
  std::uint8_t channels;
};

// 5 x 4 pixels, each row with another filter. The byte before them says whether to repair checksums.
Bytes png(const Kind& kind, std::uint8_t repaired) {
  Bytes out{repaired, 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  constexpr std::size_t kWidth = 5;
  constexpr std::size_t kHeight = 4;
  Bytes header;
  put_number(header, kWidth);
  put_number(header, kHeight);
  header.insert(header.end(), {kind.depth, kind.colour, 0, 0, 0});
  put_chunk(out, "IHDR", header);
  if (kind.colour == 3) put_chunk(out, "PLTE", {0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255});
  if (kind.colour == 3) put_chunk(out, "tRNS", {0, 128});
  put_chunk(out, "gAMA", {0, 0, 0xb1, 0x8f});
  Bytes rows;
  for (std::uint8_t row = 0; row < kHeight; ++row) {
    rows.push_back(row);
    const std::size_t bytes = (kWidth * kind.channels * kind.depth + 7) / 8;
    for (std::size_t i = 0; i < bytes; ++i) rows.push_back(static_cast<std::uint8_t>(kind.colour == 3 ? 0x1b : 13 * i));
  }
  put_chunk(out, "IDAT", deflated(rows));
  put_chunk(out, "IEND", {});
  return out;
}

}  // namespace

std::vector<Bytes> fuzz_seeds() {
  std::vector<Bytes> seeds;
  for (const Kind& kind : {Kind{8, 0, 1}, Kind{1, 0, 1}, Kind{16, 0, 1}, Kind{8, 2, 3}, Kind{16, 2, 3}, Kind{2, 3, 1},
                           Kind{8, 4, 2}, Kind{8, 6, 4}}) {
    seeds.push_back(png(kind, 0));
    seeds.push_back(png(kind, 1));
  }
  return seeds;
}

}  // namespace loadline::test
