#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/image_extents.h"
#include "loaders/datasets/strided.h"
#include "loaders/error.h"
#include "loaders/storage/gzip.h"
#include "loaders/storage/inflate.h"
#include "loaders/system/memory.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMagicBytes = 4;
constexpr std::byte kUnsignedByte{0x08};  // third byte of the magic number: the element type

Error idx_error(const fs::path& path, const std::string& reason) {
  return Error(fmt::format("cannot open {}: {}", path.string(), reason));
}

bool is_gzip(const fs::path& path) {
  return path.extension() == ".gz";
}

// The content of one IDX file: its dimensions and its bytes after the header, mapped or inflated.
struct IdxFile {
  std::vector<std::size_t> dimensions;
  std::shared_ptr<MappedFile> mapped;
  std::optional<HugeMemory> inflated;

  std::size_t header_bytes() const { return kMagicBytes + 4 * dimensions.size(); }
  std::span<const std::byte> content() const {
    return mapped ? mapped->bytes().subspan(header_bytes()) : std::as_const(*inflated).bytes();
  }
};

void check_magic(const fs::path& path, std::span<const std::byte, kMagicBytes> magic, std::size_t rank) {
  if (magic[0] != std::byte{0} || magic[1] != std::byte{0}) {
    throw idx_error(
        path, fmt::format("not an IDX file (it starts with {:#04x} {:#04x}, want 0x00 0x00)", magic[0], magic[1]));
  }
  if (magic[2] != kUnsignedByte) {
    throw idx_error(path, fmt::format("IDX element type {:#04x}, want 0x08 (unsigned byte)", magic[2]));
  }
  if (std::to_integer<std::size_t>(magic[3]) != rank) {
    throw idx_error(path, fmt::format("IDX of {} dimensions, want {}", magic[3], rank));
  }
}

// Dimensions are big-endian. Returns the bytes of content they announce.
std::size_t parse_dimensions(const fs::path& path, std::span<const std::byte> bytes,
                             std::vector<std::size_t>& dimensions) {
  std::size_t content = 1;
  for (; !bytes.empty(); bytes = bytes.subspan(4)) {
    std::size_t dimension = 0;
    for (const std::byte byte : bytes.first(4)) dimension = dimension << 8U | std::to_integer<std::size_t>(byte);
    dimensions.push_back(dimension);
    if (dimension == 0) throw idx_error(path, fmt::format("it holds no samples (a dimension is 0)"));
    if (content > kMostImageBytes / dimension) {
      throw idx_error(path, fmt::format("impossible dimensions {}", fmt::join(dimensions, " x ")));
    }
    content *= dimension;
  }
  return content;
}

Error size_mismatch(const fs::path& path, const IdxFile& file, std::size_t expected, const std::string& found) {
  return idx_error(path, fmt::format("its header announces {} = {} bytes, it holds {}",
                                     fmt::join(file.dimensions, " x "), expected, found));
}

IdxFile map_idx(const fs::path& path, std::size_t rank) {
  IdxFile file{.mapped = std::make_shared<MappedFile>(path)};
  const auto bytes = file.mapped->bytes();
  if (bytes.size() < kMagicBytes + 4 * rank) {
    throw idx_error(path, fmt::format("{} bytes are too few for an IDX header", bytes.size()));
  }
  check_magic(path, bytes.first<kMagicBytes>(), rank);
  const std::size_t expected = parse_dimensions(path, bytes.subspan(kMagicBytes, 4 * rank), file.dimensions);
  const std::size_t found = bytes.size() - file.header_bytes();
  if (found != expected) throw size_mismatch(path, file, expected, std::to_string(found));
  return file;
}

// Returns the bytes of content that the header announces.
std::size_t inflate_header(const fs::path& path, std::size_t rank, GzipReader& reader, IdxFile& file) {
  std::vector<std::byte> header(kMagicBytes + 4 * rank);
  if (const std::size_t got = reader.read(header); got < header.size()) {
    throw idx_error(path, fmt::format("{} bytes are too few for an IDX header", got));
  }
  const std::span bytes(header);
  check_magic(path, bytes.first<kMagicBytes>(), rank);
  const std::size_t expected = parse_dimensions(path, bytes.subspan(kMagicBytes), file.dimensions);
  if (expected / kMostInflation > fs::file_size(path)) {
    throw size_mismatch(path, file, expected, "too few compressed bytes for that");
  }
  return expected;
}

IdxFile inflate_idx(const fs::path& path, std::size_t rank) {
  GzipReader reader(path);
  IdxFile file;
  const std::size_t expected = inflate_header(path, rank, reader, file);
  file.inflated.emplace(expected);
  if (const std::size_t got = reader.read(file.inflated->bytes()); got < expected) {
    throw size_mismatch(path, file, expected, std::to_string(got));
  }
  // Asking for more than was announced also makes zlib verify the checksum at the end.
  std::array<std::byte, 1> beyond{};
  if (reader.read(beyond) > 0) throw size_mismatch(path, file, expected, "more");
  return file;
}

IdxFile load_idx(const fs::path& path, std::size_t rank) {
  return is_gzip(path) ? inflate_idx(path, rank) : map_idx(path, rank);
}

constexpr std::array<std::string_view, 2> kImageSuffixes{"images-idx3-ubyte", "images.idx3-ubyte"};

std::string labels_name(std::string images_name) {
  const auto at = images_name.rfind("images");
  images_name.replace(at, 6, "labels");
  images_name.replace(images_name.find("idx3", at), 4, "idx1");
  return images_name;
}

std::string_view prefix_of(Split split) {
  return split == Split::kTrain ? "train-" : "t10k-";
}

// Plain before compressed, because plain files need no memory.
std::optional<fs::path> find_images(const fs::path& directory, Split split) {
  for (const std::string_view extension : {"", ".gz"}) {
    for (const std::string_view suffix : kImageSuffixes) {
      const fs::path path = directory / fmt::format("{}{}{}", prefix_of(split), suffix, extension);
      if (fs::exists(path)) return path;
    }
  }
  return std::nullopt;
}

bool is_images_name(const std::string& name) {
  return std::ranges::any_of(kImageSuffixes, [&](std::string_view suffix) {
    return name.ends_with(suffix) || name.ends_with(fmt::format("{}.gz", suffix));
  });
}

fs::path images_path(const fs::path& path, Split split) {
  if (fs::is_directory(path)) {
    if (const auto found = find_images(path, split)) return *found;
    throw idx_error(path, fmt::format("it contains no {}{}, plain or .gz", prefix_of(split), kImageSuffixes[0]));
  }
  if (!is_images_name(path.filename().string())) {
    throw idx_error(path, "want a directory or a file named *images-idx3-ubyte or *images-idx3-ubyte.gz");
  }
  return path;
}

// Labels may be compressed where images are not, and the other way round.
fs::path labels_path(const fs::path& images) {
  const fs::path twin = images.parent_path() / labels_name(images.filename().string());
  const fs::path other =
      is_gzip(twin) ? fs::path(twin).replace_extension() : fs::path(fmt::format("{}.gz", twin.string()));
  if (fs::exists(twin)) return twin;
  if (fs::exists(other)) return other;
  throw idx_error(images, fmt::format("its labels are missing, want {}", twin.filename().string()));
}

// The highest label determines the number of classes, so all are read: at 10 GB/s, a tenth of a second for a billion.
unsigned highest_label(const IdxFile& labels) {
  constexpr std::size_t kAtATime = std::size_t{1} << 20;
  unsigned char highest = 0;
  for (auto rest = labels.content(); !rest.empty(); rest = rest.subspan(std::min(kAtATime, rest.size()))) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(rest.data());
    for (std::size_t i = 0; i < std::min(kAtATime, rest.size()); ++i) highest = std::max(highest, bytes[i]);
    if (labels.mapped) labels.mapped->forget_pages();
  }
  if (labels.mapped) labels.mapped->check_intact();
  return highest;
}

Labels labels_of(const IdxFile& file) {
  const auto bytes = file.content();
  if (file.mapped && bytes.size() > kMostLabelsRead) return {{{0, bytes.data()}}, {}, bytes.size(), {file.mapped}};
  std::vector<std::int32_t> values;
  values.reserve(bytes.size());
  for (const std::byte label : bytes) values.push_back(std::to_integer<std::int32_t>(label));
  return values;
}

}  // namespace

bool recognises_idx(const fs::path& path) {
  if (!fs::is_directory(path)) return is_images_name(path.filename().string());
  return find_images(path, Split::kTrain) || find_images(path, Split::kTest);
}

std::optional<std::uint64_t> inflated_idx_bytes(const fs::path& path, const DatasetOptions& options) {
  const fs::path images = images_path(path, options.split);
  if (!is_gzip(images)) return std::nullopt;
  GzipReader reader(images);
  IdxFile file;
  return inflate_header(images, 3, reader, file);
}

std::unique_ptr<Dataset> open_idx(const fs::path& path, const DatasetOptions& options) {
  const fs::path images_name = images_path(path, options.split);
  const fs::path labels_name = labels_path(images_name);
  IdxFile images = load_idx(images_name, 3);
  const IdxFile labels = load_idx(labels_name, 1);
  if (images.dimensions[0] != labels.dimensions[0]) {
    throw idx_error(
        path, fmt::format("{} images in {} but {} labels in {}", images.dimensions[0], images_name.filename().string(),
                          labels.dimensions[0], labels_name.filename().string()));
  }
  DatasetInfo info{.format = "idx", .samples = images.dimensions[0]};
  info.shape = {.channels = 1, .height = images.dimensions[1], .width = images.dimensions[2]};
  info.classes = highest_label(labels) + std::size_t{1};
  info.files = {images_name, labels_name};
  for (const fs::path& file : info.files) info.stored_bytes += fs::file_size(file);
  Labels values = labels_of(labels);
  if (!images.mapped) {
    return std::make_unique<StridedDataset>(std::move(info), values.all(), std::move(*images.inflated));
  }
  const std::byte* first = images.content().data();
  return std::make_unique<StridedDataset>(std::move(info), std::move(values), std::move(images.mapped), first);
}

}  // namespace loadline
