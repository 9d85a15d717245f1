#include "loaders/storage/tar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kTarBlock = 512;
constexpr std::size_t kMostTarName = 1 << 16;  // for GNU's long names and pax headers

// Fields of a header, from POSIX.1-2001, "ustar Interchange Format".
struct TarField {
  std::size_t first;
  std::size_t size;
};
constexpr TarField kTarName{0, 100};
constexpr TarField kTarSize{124, 12};
constexpr TarField kTarChecksum{148, 8};
constexpr std::size_t kTarType = 156;
constexpr TarField kTarMagic{257, 6};
constexpr TarField kTarPrefix{345, 155};

std::string_view tar_text(std::string_view block, const TarField& field) {
  const std::string_view text = block.substr(field.first, field.size);
  return text.substr(0, std::min(text.find('\0'), text.size()));
}

// Octal digits between blanks, or, with the first bit set, GNU's big-endian binary.
std::optional<std::uint64_t> tar_number(std::string_view block, const TarField& field) {
  std::string_view text = block.substr(field.first, field.size);
  if ((static_cast<unsigned char>(text.front()) & 0x80U) != 0) {
    std::uint64_t value = static_cast<unsigned char>(text.front()) & 0x7fU;
    for (const char c : text.substr(1)) {
      if (value >> 55U != 0) return std::nullopt;
      value = value << 8U | static_cast<unsigned char>(c);
    }
    return value;
  }
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  text = text.substr(0, std::min(text.find_first_of(std::string_view(" \0", 2)), text.size()));
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The sum of all bytes, with the sum's own field read as blanks. Some old writers added signed characters.
bool tar_checksum_holds(std::string_view block) {
  const auto told = tar_number(block, kTarChecksum);
  if (!told) return false;
  std::int64_t sum = 0;
  std::int64_t signed_sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool own = i >= kTarChecksum.first && i < kTarChecksum.first + kTarChecksum.size;
    const char c = own ? ' ' : block[i];
    sum += static_cast<unsigned char>(c);
    signed_sum += static_cast<signed char>(c);
  }
  return static_cast<std::int64_t>(*told) == sum || static_cast<std::int64_t>(*told) == signed_sum;
}

std::string tar_path_of(std::string_view block) {
  const std::string name(tar_text(block, kTarName));
  // GNU's own variant, "ustar ", keeps other data in place of the prefix.
  const bool posix = block.substr(kTarMagic.first, kTarMagic.size) == std::string_view("ustar\0", 6);
  const std::string_view prefix = posix ? tar_text(block, kTarPrefix) : std::string_view();
  return prefix.empty() ? name : fmt::format("{}/{}", prefix, name);
}

bool all_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

}  // namespace

struct TarScanner::Header {
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
  char type = '0';
  std::string name;

  std::uint64_t content() const { return at + kTarBlock; }
};

TarScanner::TarScanner(const std::filesystem::path& path) : file_(File::open(path)), size_(file_.size_bytes()) {
  if (size_ < 2) return;
  std::array<std::byte, 2> magic{};
  file_.read_exactly(0, magic);
  if (magic[0] == std::byte{0x1f} && magic[1] == std::byte{0x8b}) {
    throw Error(
        fmt::format("cannot open {}: it is compressed by gzip, so single samples cannot be read; uncompress it first "
                    "(gzip hardly shrinks images)",
                    path.string()));
  }
}

Error TarScanner::refusal(std::uint64_t at, const std::string& why) const {
  return Error(fmt::format("cannot open {}: byte {}: {}", file_.path().string(), at, why));
}

std::optional<TarScanner::Header> TarScanner::read_header() {
  if (at_ == size_) return std::nullopt;
  if (size_ - at_ < kTarBlock) throw refusal(at_, "the archive ends within a header (truncated)");
  std::array<char, kTarBlock> bytes{};
  file_.read_exactly(at_, std::as_writable_bytes(std::span(bytes)));
  const std::string_view block(bytes.data(), bytes.size());
  if (all_zero(block)) {
    check_nothing_follows(at_ + kTarBlock);
    at_ = size_;
    return std::nullopt;
  }
  if (!tar_checksum_holds(block)) {
    throw refusal(at_, at_ == 0 ? "not a tar archive" : "not a tar header (its checksum is wrong)");
  }
  Header header{.at = at_, .bytes = 0, .type = block[kTarType], .name = tar_path_of(block)};
  const auto size = tar_number(block, kTarSize);
  if (!size) throw refusal(at_, fmt::format("the size of '{}' cannot be read", header.name));
  // Links and directories have no bytes, whatever their field says.
  header.bytes = header.type >= '1' && header.type <= '6' ? 0 : *size;
  return header;
}

// All readers stop at the end of the first of concatenated archives: the rest would be missing silently.
void TarScanner::check_nothing_follows(std::uint64_t at) const {
  constexpr std::uint64_t kMostPadding = std::uint64_t{1} << 20;
  std::string rest(std::min(size_ - at, kMostPadding), '\0');
  file_.read_exactly(at, std::as_writable_bytes(std::span(rest)));
  if (!all_zero(rest)) {
    throw refusal(at, "the archive ends here, but more data follows; was one archive appended to another?");
  }
}

// Lines of "<length> <key>=<value>\n".
void TarScanner::read_pax(const Header& header, std::optional<std::string>& name,
                          std::optional<std::uint64_t>& bytes) const {
  const std::string text = read({.name = header.name, .offset = header.content(), .bytes = header.bytes}, kMostTarName);
  std::string_view rest(text);
  const auto malformed = [&] { return refusal(header.at, "its extended header cannot be read"); };
  while (!rest.empty() && rest.front() != '\0') {
    std::size_t length = 0;
    const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    const auto digits = static_cast<std::size_t>(end - rest.data());
    if (status != std::errc{} || length > rest.size() || digits + 2 > length || *end != ' ') throw malformed();
    const std::string_view record = rest.substr(digits + 1, length - digits - 2);
    const auto equals = record.find('=');
    if (equals == std::string_view::npos) throw malformed();
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key == "path") name = std::string(value);
    if (key.starts_with("GNU.sparse."))
      throw refusal(header.at, "it contains a sparse file: write the archive without --sparse");
    if (key == "size") {
      std::uint64_t number = 0;
      const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
      if (parsed.ec != std::errc{} || parsed.ptr != value.data() + value.size()) throw malformed();
      bytes = number;
    }
    rest.remove_prefix(length);
  }
}

std::optional<TarEntry> TarScanner::next() {
  std::optional<std::string> long_name;
  std::optional<std::uint64_t> long_bytes;
  while (auto header = read_header()) {
    const bool describes_next =
        header->type == 'L' || header->type == 'K' || header->type == 'x' || header->type == 'g';
    if (!describes_next && long_bytes) header->bytes = *long_bytes;
    if (!describes_next && long_name) header->name = *long_name;
    if (header->bytes > size_ - header->content()) {
      throw refusal(header->at, fmt::format("'{}' claims {} bytes, the archive has {} more (truncated or corrupt)",
                                            header->name, header->bytes, size_ - header->content()));
    }
    // The last file's padding may be missing, for instance if the writer was stopped.
    at_ = std::min(header->content() + header->bytes + tar_padding(header->bytes), size_);
    if (header->type == 'L') {
      std::string name =
          read({.name = header->name, .offset = header->content(), .bytes = header->bytes}, kMostTarName);
      name.resize(std::min(name.find('\0'), name.size()));
      long_name = std::move(name);
    } else if (header->type == 'x') {
      read_pax(*header, long_name, long_bytes);
    } else if (header->type == 'S') {
      throw refusal(header->at,
                    fmt::format("'{}' is stored as a sparse file: write the archive without --sparse", header->name));
    } else if (!describes_next) {
      const bool regular = header->type == '0' || header->type == '\0' || header->type == '7';
      // Before POSIX, a directory was a file whose name ends in a slash.
      if (regular && !header->name.ends_with('/')) {
        return TarEntry{.name = std::move(header->name), .offset = header->content(), .bytes = header->bytes};
      }
      long_name.reset();
      long_bytes.reset();
    }
  }
  return std::nullopt;
}

std::string TarScanner::read(const TarEntry& entry, std::size_t most) const {
  if (entry.bytes > most) {
    throw refusal(entry.offset, fmt::format("'{}' has {} bytes, want at most {}", entry.name, entry.bytes, most));
  }
  std::string text(entry.bytes, '\0');
  file_.read_exactly(entry.offset, std::as_writable_bytes(std::span(text)));
  return text;
}

std::string tar_name_at(std::span<const std::byte> archive, std::uint64_t offset) {
  if (offset < kTarBlock || offset > archive.size()) return "";
  const auto* end = reinterpret_cast<const char*>(archive.data() + offset);
  return tar_path_of({end - kTarBlock, kTarBlock});
}

std::size_t tar_padding(std::uint64_t bytes) {
  return (kTarBlock - bytes % kTarBlock) % kTarBlock;
}

}  // namespace loadline
