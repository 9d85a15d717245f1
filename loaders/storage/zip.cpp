#include "loaders/storage/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/inflate.h"

namespace loadline {
namespace {

Error zip_refusal(const std::string& shown, const std::string& why) {
  return Error(fmt::format("cannot open {}: {}", shown, why));
}

// Little-endian numbers at checked places.
class ZipBytes {
 public:
  ZipBytes(std::span<const std::byte> bytes, const std::string& shown) : bytes_(bytes), shown_(shown) {}

  std::uint64_t size() const { return bytes_.size(); }
  std::uint64_t number(std::uint64_t at, std::size_t count) const {
    const auto part = this->part(at, count);
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8U | std::to_integer<std::uint64_t>(part[i]);
    return value;
  }
  std::span<const std::byte> part(std::uint64_t at, std::uint64_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) {
      throw zip_refusal(shown_, "not a zip archive, or truncated or corrupt");
    }
    return bytes_.subspan(at, count);
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& shown_;
};

constexpr std::uint64_t kEndRecord = 0x06054b50;
constexpr std::uint64_t kEndRecord64 = 0x06064b50;
constexpr std::uint64_t kEndLocator64 = 0x07064b50;
constexpr std::uint64_t kDirectoryRecord = 0x02014b50;
constexpr std::uint64_t kLocalRecord = 0x04034b50;
constexpr std::uint64_t kIn64Bits = 0xffffffff;  // stands for a 64-bit number that is stored elsewhere

struct ZipDirectory {
  std::uint64_t at = 0;
  std::uint64_t entries = 0;
};

// The end record is the last thing in the file, except for a comment.
ZipDirectory zip_directory(const ZipBytes& bytes, const std::string& shown) {
  constexpr std::uint64_t kEndBytes = 22;
  constexpr std::uint64_t kMostComment = 0xffff;
  if (bytes.size() < kEndBytes) throw zip_refusal(shown, "not a zip archive: it is too short");
  const std::uint64_t last = bytes.size() - kEndBytes;
  for (std::uint64_t back = 0; back <= std::min(last, kMostComment); ++back) {
    const std::uint64_t end = last - back;
    if (bytes.number(end, 4) != kEndRecord) continue;
    ZipDirectory directory{.at = bytes.number(end + 16, 4), .entries = bytes.number(end + 10, 2)};
    constexpr std::uint64_t kLocatorBytes = 20;
    if (end >= kLocatorBytes && bytes.number(end - kLocatorBytes, 4) == kEndLocator64) {
      const std::uint64_t end64 = bytes.number(end - kLocatorBytes + 8, 8);
      if (bytes.number(end64, 4) != kEndRecord64) throw zip_refusal(shown, "its directory cannot be found (corrupt)");
      directory = {.at = bytes.number(end64 + 48, 8), .entries = bytes.number(end64 + 32, 8)};
    }
    return directory;
  }
  throw zip_refusal(shown, "not a zip archive, or truncated: its end is missing");
}

// Takes sizes and place from the extra field of 64-bit numbers if the record's own are all ones.
void take_64_bits(const ZipBytes& bytes, std::uint64_t at, std::uint64_t end, ZipEntry& entry, std::uint64_t& local) {
  while (end - at >= 4) {
    const std::uint64_t kind = bytes.number(at, 2);
    const std::uint64_t length = bytes.number(at + 2, 2);
    std::uint64_t field = at + 4;
    if (length > end - field) return;
    at = field + length;
    if (kind != 1) continue;
    for (std::uint64_t* number : {&entry.bytes, &entry.stored_bytes, &local}) {
      if (*number != kIn64Bits || at - field < 8) continue;
      *number = bytes.number(field, 8);
      field += 8;
    }
  }
}

}  // namespace

std::vector<ZipEntry> zip_entries(std::span<const std::byte> archive, const std::string& shown) {
  const ZipBytes bytes(archive, shown);
  const ZipDirectory directory = zip_directory(bytes, shown);
  std::vector<ZipEntry> entries;
  std::uint64_t at = directory.at;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    constexpr std::uint64_t kRecordBytes = 46;
    bytes.part(at, kRecordBytes);
    if (bytes.number(at, 4) != kDirectoryRecord) throw zip_refusal(shown, "its directory is corrupt");
    const std::uint64_t flags = bytes.number(at + 8, 2);
    const std::uint64_t method = bytes.number(at + 10, 2);
    ZipEntry entry{.name = {},
                   .deflated = method == 8,
                   .offset = 0,
                   .stored_bytes = bytes.number(at + 20, 4),
                   .bytes = bytes.number(at + 24, 4),
                   .crc = static_cast<std::uint32_t>(bytes.number(at + 16, 4))};
    const std::uint64_t name_bytes = bytes.number(at + 28, 2);
    const std::uint64_t extra_bytes = bytes.number(at + 30, 2);
    const std::uint64_t comment_bytes = bytes.number(at + 32, 2);
    std::uint64_t local = bytes.number(at + 42, 4);
    const auto name = bytes.part(at + kRecordBytes, name_bytes);
    entry.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
    const std::uint64_t extra = at + kRecordBytes + name_bytes;
    bytes.part(extra, extra_bytes);
    take_64_bits(bytes, extra, extra + extra_bytes, entry, local);
    at = extra + extra_bytes + comment_bytes;
    if ((flags & 1U) != 0) throw zip_refusal(shown, fmt::format("'{}' in it is encrypted", entry.name));
    if (method != 0 && method != 8) {
      throw zip_refusal(shown,
                        fmt::format("'{}' in it is compressed by method {}, want deflate or none", entry.name, method));
    }
    constexpr std::uint64_t kLocalBytes = 30;
    bytes.part(local, kLocalBytes);
    if (bytes.number(local, 4) != kLocalRecord)
      throw zip_refusal(shown, fmt::format("'{}' is not where its directory says", entry.name));
    entry.offset = local + kLocalBytes + bytes.number(local + 26, 2) + bytes.number(local + 28, 2);
    bytes.part(entry.offset, entry.stored_bytes);
    if (!entry.deflated && entry.bytes != entry.stored_bytes) {
      throw zip_refusal(
          shown, fmt::format("'{}' in it has two lengths, {} and {}", entry.name, entry.bytes, entry.stored_bytes));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

HugeMemory inflate_zip_entry(std::span<const std::byte> archive, const ZipEntry& entry, const std::string& shown) {
  const auto corrupt = [&] { return zip_refusal(shown, fmt::format("'{}' in it is corrupt", entry.name)); };
  if (entry.bytes == 0 || entry.bytes / kMostInflation > entry.stored_bytes) throw corrupt();
  HugeMemory memory(entry.bytes);
  z_stream stream{};
  constexpr int kRawDeflate = -MAX_WBITS;
  if (::inflateInit2(&stream, kRawDeflate) != Z_OK) throw Error("cannot inflate: zlib refused to start");
  struct End {
    z_stream* stream;
    ~End() { ::inflateEnd(stream); }
  };
  const End end{&stream};
  auto in = archive.subspan(entry.offset, entry.stored_bytes);
  auto out = memory.bytes();
  auto crc = ::crc32(0, nullptr, 0);
  int status = Z_OK;
  while (status == Z_OK) {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    const auto some_in = in.first(std::min(in.size(), kMost));
    const auto some_out = out.first(std::min(out.size(), kMost));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(some_in.data()));
    stream.avail_in = static_cast<uInt>(some_in.size());
    stream.next_out = reinterpret_cast<Bytef*>(some_out.data());
    stream.avail_out = static_cast<uInt>(some_out.size());
    status = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t used = some_in.size() - stream.avail_in;
    const std::size_t made = some_out.size() - stream.avail_out;
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(some_out.data()), made);
    in = in.subspan(used);
    out = out.subspan(made);
    if (used == 0 && made == 0 && status == Z_OK) break;
  }
  if (status != Z_STREAM_END || !out.empty() || crc != entry.crc) throw corrupt();
  return memory;
}

bool matches_checksum(std::span<const std::byte> archive, const ZipEntry& stored) {
  const auto bytes = archive.subspan(stored.offset, stored.bytes);
  return ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) == stored.crc;
}

}  // namespace loadline
