#include "loaders/storage/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);
constexpr std::size_t kMostHeaderBytes = 1 << 16;  // more than any array's description needs

// The text after 'key': in the header, without leading blanks.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}'", key);
  const auto at = header.find(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(at + quoted.size());
  const auto value = rest.find_first_not_of(" :");
  if (value == std::string_view::npos) return std::nullopt;
  return rest.substr(value);
}

// "(4, 64, 64, 64), ...", "(7,)", "()".
std::optional<std::vector<std::uint64_t>> extents_of(std::string_view text) {
  if (!text.starts_with('(')) return std::nullopt;
  const auto end = text.find(')');
  if (end == std::string_view::npos) return std::nullopt;
  text = text.substr(1, end - 1);
  std::vector<std::uint64_t> extents;
  while (!text.empty()) {
    const auto digits = text.find_first_not_of(" ,");
    if (digits == std::string_view::npos) break;
    text.remove_prefix(digits);
    std::uint64_t extent = 0;
    const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (status != std::errc{}) return std::nullopt;
    extents.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  }
  return extents;
}

}  // namespace

NpyFacts read_npy_facts(const std::filesystem::path& path) {
  const File file = File::open(path);
  std::vector<std::byte> start(std::min<std::size_t>(file.size_bytes(), kMostHeaderBytes + 12));
  file.read_exactly(0, start);
  return npy_facts_in(start, file.size_bytes(), path.string());
}

NpyFacts npy_facts_in(std::span<const std::byte> start, std::uint64_t file_bytes, const std::string& shown) {
  const auto fail = [&](std::string_view why) { return Error(fmt::format("cannot open {}: {}", shown, why)); };
  constexpr std::size_t kLeast = 12;
  if (start.size() < kLeast) throw fail("not a NumPy array (.npy): it is too short");
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (!text.starts_with(kNpyMagic)) throw fail("not a NumPy array (.npy): its first bytes differ");
  const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(start[at]); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) throw fail(fmt::format("version {} of its format is unknown", version));
  // Lengths are little-endian, of two bytes in the first version and of four since.
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::size_t length = byte(8) | byte(9) << 8U | (version == 1 ? 0 : byte(10) << 16U | byte(11) << 24U);
  if (length > kMostHeaderBytes || begin + length > start.size()) {
    throw fail(fmt::format("its header claims {} bytes, the file has {} (truncated or corrupt)", length, file_bytes));
  }
  const std::string_view header = text.substr(begin, length);

  NpyFacts facts{.offset_bytes = begin + length};
  const auto dtype = value_of(header, "descr");
  const auto order = value_of(header, "fortran_order");
  const auto shape = value_of(header, "shape");
  if (!dtype || !order || !shape) throw fail("its header lacks descr, fortran_order or shape");
  const auto extents = extents_of(*shape);
  if (!extents) throw fail("the shape in its header cannot be read");
  facts.extents = *extents;
  facts.column_major = order->starts_with("True");
  const std::string_view quoted = *dtype;
  const auto closing = quoted.starts_with('\'') ? quoted.find('\'', 1) : std::string_view::npos;
  facts.dtype = closing == std::string_view::npos ? "structured" : std::string(quoted.substr(1, closing - 1));
  return facts;
}

std::string npy_header(std::span<const std::uint64_t> extents, std::string_view dtype) {
  constexpr std::size_t kPrefix = 10;
  constexpr std::size_t kLine = 64;
  std::string shape;
  for (const std::uint64_t extent : extents) shape += fmt::format("{}, ", extent);
  if (extents.size() > 1) shape.resize(shape.size() - 2);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", dtype, shape);
  text.resize((kPrefix + text.size() + kLine) / kLine * kLine - kPrefix - 1, ' ');
  text += '\n';
  std::string header(kNpyMagic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xffU), static_cast<char>(text.size() >> 8U)};
  return header + text;
}

}  // namespace loadline
