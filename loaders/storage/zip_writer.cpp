#include "loaders/storage/zip_writer.h"

#include <zlib.h>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace loadline {
namespace {

constexpr std::uint64_t kVersion = 45;         // that has 64-bit numbers
constexpr std::uint64_t kLengthsFollow = 8;    // flag: an entry's checksum and lengths follow its bytes
constexpr std::uint64_t kFirstDate = 0x21;     // 1 January 1980
constexpr std::uint64_t kElsewhere = ~0ULL;    // in a field of 2 or 4 bytes: the number is in an extra one
constexpr std::uint64_t kNumbersOf64Bits = 1;  // kind of an extra field

struct ZipNumber {
  std::uint64_t value;
  std::size_t bytes;
};

// Little-endian, without gaps.
std::string zip_numbers(std::initializer_list<ZipNumber> numbers) {
  std::string text;
  for (const auto& [value, bytes] : numbers) {
    for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xffU);
  }
  return text;
}

}  // namespace

void ZipWriter::begin(std::string name) {
  end_entry();
  entries_.push_back({.name = std::move(name), .offset = at_});
  open_ = true;
  const std::string& shown = entries_.back().name;
  append(zip_numbers({{0x04034b50, 4}, {kVersion, 2}, {kLengthsFollow, 2}, {0, 2}, {0, 2}, {kFirstDate, 2}}));
  append(zip_numbers({{0, 4}, {kElsewhere, 4}, {kElsewhere, 4}, {shown.size(), 2}, {20, 2}}));
  append(shown);
  append(zip_numbers({{kNumbersOf64Bits, 2}, {16, 2}, {0, 8}, {0, 8}}));
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;  // zlib would begin the checksum anew if the bytes have no address
  file_.write(bytes);
  at_ += bytes.size();
  ZipEntry& entry = entries_.back();
  entry.bytes += bytes.size();
  entry.crc =
      static_cast<std::uint32_t>(::crc32_z(entry.crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void ZipWriter::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void ZipWriter::finish() {
  end_entry();
  const std::uint64_t directory = at_;
  for (const ZipEntry& entry : entries_) {
    append(zip_numbers({{0x02014b50, 4}, {kVersion, 2}, {kVersion, 2}, {kLengthsFollow, 2}, {0, 2}, {0, 2}}));
    append(zip_numbers({{kFirstDate, 2}, {entry.crc, 4}, {kElsewhere, 4}, {kElsewhere, 4}, {entry.name.size(), 2}}));
    append(zip_numbers({{28, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 4}, {kElsewhere, 4}}));
    append(entry.name);
    append(zip_numbers({{kNumbersOf64Bits, 2}, {24, 2}, {entry.bytes, 8}, {entry.bytes, 8}, {entry.offset, 8}}));
  }
  const std::uint64_t end = at_;
  const std::uint64_t count = entries_.size();
  append(zip_numbers({{0x06064b50, 4}, {44, 8}, {kVersion, 2}, {kVersion, 2}, {0, 4}, {0, 4}}));
  append(zip_numbers({{count, 8}, {count, 8}, {end - directory, 8}, {directory, 8}}));
  append(zip_numbers({{0x07064b50, 4}, {0, 4}, {end, 8}, {1, 4}}));
  append(zip_numbers({{0x06054b50, 4}, {0, 2}, {0, 2}, {kElsewhere, 2}, {kElsewhere, 2}}));
  append(zip_numbers({{kElsewhere, 4}, {kElsewhere, 4}, {0, 2}}));
}

void ZipWriter::append(const std::string& bytes) {
  file_.write(bytes);
  at_ += bytes.size();
}

void ZipWriter::end_entry() {
  if (!std::exchange(open_, false)) return;
  const ZipEntry& entry = entries_.back();
  append(zip_numbers({{0x08074b50, 4}, {entry.crc, 4}, {entry.bytes, 8}, {entry.bytes, 8}}));
}

}  // namespace loadline
