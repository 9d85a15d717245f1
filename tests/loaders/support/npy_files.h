// The bytes of tiny NumPy arrays and of archives of them.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadline::test {

// `shape` is what Python writes, without its brackets.
inline std::string npy_of(std::string_view dtype, std::string_view shape, std::string_view values,
                          std::string_view order = "False") {
  const std::string header = "{'descr': '" + std::string(dtype) + "', 'fortran_order': " + std::string(order) +
                             ", 'shape': (" + std::string(shape) + "), }\n";
  std::string bytes("\x93NUMPY\x01\0", 8);
  bytes += static_cast<char>(header.size() & 0xffU);
  bytes += static_cast<char>(header.size() >> 8U);
  return bytes + header + std::string(values);
}

inline std::string raw_deflate_of(std::string_view bytes) {
  z_stream stream{};
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib refused to start");
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct ZipFile {
  std::string name;
  std::string bytes;
  bool deflated = false;
  bool in_64_bits = false;  // its sizes
};

inline std::string zip_of(const std::vector<ZipFile>& files) {
  const auto number = [](std::uint64_t value, std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i < sizeof value ? value >> 8 * i & 0xffU : 0U);
    return bytes;
  };
  std::string all;
  std::string directory;
  for (const ZipFile& file : files) {
    const std::string stored = file.deflated ? raw_deflate_of(file.bytes) : file.bytes;
    const auto crc =
        ::crc32(0, reinterpret_cast<const Bytef*>(file.bytes.data()), static_cast<uInt>(file.bytes.size()));
    const std::string sizes = number(file.bytes.size(), 8) + number(stored.size(), 8);
    const std::string extra = file.in_64_bits ? number(1, 2) + number(16, 2) + sizes : "";
    const auto size = [&](std::size_t bytes) { return number(file.in_64_bits ? 0xffffffff : bytes, 4); };
    const std::string common = number(20, 2) + number(0, 2) + number(file.deflated ? 8 : 0, 2) + number(0, 4) +
                               number(crc, 4) + size(stored.size()) + size(file.bytes.size()) +
                               number(file.name.size(), 2) + number(extra.size(), 2);
    const std::string place = number(0, 2 + 2 + 2 + 4) + number(all.size(), 4);
    for (const std::string& part : {number(0x02014b50, 4), number(20, 2), common, place, file.name, extra}) {
      directory += part;
    }
    for (const std::string& part : {number(0x04034b50, 4), common, file.name, extra, stored}) all += part;
  }
  return all + directory + number(0x06054b50, 4) + number(0, 4) + number(files.size(), 2) + number(files.size(), 2) +
         number(directory.size(), 4) + number(all.size(), 4) + number(0, 2);
}

// Returns an archive of two images of 2 x 6 pixels with three channels, channels last, and their labels.
inline std::string npz_of(const std::string& images, const std::string& labels, bool deflated) {
  std::string values;
  for (char i = 0; i < 72; ++i) values += i;
  return zip_of(
      {{images + ".npy", npy_of("|u1", "2, 6, 2, 3", values), deflated, false},
       {labels + ".npy", npy_of("<i8", "2,", std::string("\1\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0", 16)), deflated, true}});
}

}  // namespace loadline::test
