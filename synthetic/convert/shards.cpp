// Writes shards of encoded images in WebDataset's and TensorFlow's formats. Shares no code with the readers except
// the checksum.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "loaders/storage/crc32c.h"
#include "loaders/storage/file.h"
#include "loaders/storage/new_file.h"
#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

std::string_view kind_of(StoredSample sample) {
  const auto begins = [&](std::string_view magic) {
    return sample.size() >= magic.size() &&
           std::ranges::equal(std::as_bytes(std::span(magic)), sample.first(magic.size()));
  };
  if (begins("\x89PNG")) return "png";
  if (begins("BM")) return "bmp";
  if (begins("RIFF")) return "webp";
  if (begins("P2") || begins("P5")) return "pgm";
  if (begins("P3") || begins("P6")) return "ppm";
  if (begins("II") || begins("MM")) return "tif";  // by its byte order
  return "jpg";                                    // also for corrupt images: readers will try JPEG
}

// The same in an Example, where TensorFlow gives formats their full names.
std::string format_of_example(StoredSample image) {
  const std::string_view kind = kind_of(image);
  return std::string(kind == "jpg" ? "jpeg" : kind == "tif" ? "tiff" : kind);
}

// ---- tar

constexpr std::size_t kTarBlock = 512;

// A ustar header (POSIX.1-2001) for a regular file that anybody may read, dated 1970, so that the same samples give
// the same bytes.
std::string tar_header(std::string_view name, std::size_t bytes) {
  std::string block(kTarBlock, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    std::ranges::copy(text, block.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", bytes));
  put(136, "00000000000");
  put(148, "        ");
  put(156, "0");
  put(257, std::string_view("ustar\0"
                            "00",
                            8));
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

std::string zeros_to_block(std::size_t bytes) {
  return std::string((kTarBlock - bytes % kTarBlock) % kTarBlock, '\0');
}

// ---- tf.train.Example

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>(value | 0x80U);
  bytes += static_cast<char>(value);
  return bytes;
}

// The head of a field with this number and `bytes` bytes.
std::string field_head(unsigned number, std::uint64_t bytes) {
  return varint(number << 3U | 2U) + varint(bytes);
}

std::string little_endian(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i & 0xffU);
  return bytes;
}

std::string field(unsigned number, const std::string& content) {
  return field_head(number, content.size()) + content;
}

// An entry of the map of features: its name and, wrapped as a Feature, a list.
std::string feature(const std::string& name, unsigned list_kind, const std::string& list) {
  return field(1, field(1, name) + field(2, field(list_kind, list)));
}

// A record with an Example that holds the image, its format and its label.
std::string record_of_example(StoredSample image, std::int32_t label) {
  constexpr unsigned kBytesList = 1;
  constexpr unsigned kInt64List = 3;
  const std::string text(reinterpret_cast<const char*>(image.data()), image.size());
  std::string features = feature("image/class/label", kInt64List, field(1, varint(static_cast<std::uint64_t>(label))));
  features += feature("image/encoded", kBytesList, field(1, text));
  features += feature("image/format", kBytesList, field(1, format_of_example(image)));
  const std::string example = field(1, features);
  const auto checksum = [](const std::string& bytes) {
    return little_endian(masked(crc32c(std::as_bytes(std::span(bytes)))), 4);
  };
  const std::string length = little_endian(example.size(), 8);
  return length + checksum(length) + example + checksum(example);
}

// Files of about the requested size, one after another.
class ShardFiles {
 public:
  ShardFiles(const ConvertJob& job, std::string pattern, std::string end)
      : job_(job), pattern_(std::move(pattern)), end_(std::move(end)) {}

  // Writes one sample: no shard begins within it.
  void write(const std::string& bytes) {
    if (file_ && written_ + bytes.size() > job_.options.shard_bytes) close();
    if (!file_) {
      file_ = std::make_unique<AtomicFile>(job_.to / fmt::format(fmt::runtime(pattern_), count_++));
      written_ = 0;
    }
    pending_ += bytes;
    written_ += bytes.size();
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;
    if (pending_.size() >= kAtOnce) flush();
  }

  void close() {
    if (!file_) return;
    pending_ += end_;
    flush();
    file_->commit();
    file_.reset();
  }

 private:
  void flush() {
    file_->write(pending_);
    pending_.clear();
  }

  const ConvertJob& job_;
  std::string pattern_;  // of file names, with their number
  std::string end_;      // of each file
  std::unique_ptr<AtomicFile> file_;
  std::string pending_;
  std::size_t written_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::string folder_obstacle(const Dataset& from) {
  if (std::string why = encoded_obstacle(from); !why.empty()) return why;
  if (!std::ranges::is_sorted(from.labels())) {
    return "samples in the order of their classes only, these are in another order";
  }
  // A folder's classes are numbered in the order of its directories, and an empty one is no class.
  std::int32_t next = 0;
  const auto lacking = [&] { return fmt::format("classes with samples only, class {} of these has none", next); };
  for (const std::int32_t label : from.labels()) {
    if (label > next) return lacking();
    next = label + 1;
  }
  return static_cast<std::size_t>(next) < from.info().classes ? lacking() : "";
}

std::string class_directory(std::int32_t label, std::size_t classes) {
  const std::size_t digits = std::max<std::size_t>(5, fmt::formatted_size("{}", classes - 1));
  return fmt::format("class{:0{}}", label, digits);
}

void write_folder(const ConvertJob& job) {
  const Labels& labels = job.from.labels();
  stream_encoded(job, [&](std::size_t index, StoredSample sample) {
    const fs::path folder = job.to / class_directory(labels[index], job.from.info().classes);
    fs::create_directories(folder);
    write_new_file(folder / fmt::format("{:010}.{}", index, kind_of(sample)), sample);
  });
  wait_until_all_is_stored(job.to);
}

void write_webdataset(const ConvertJob& job) {
  const Labels& labels = job.from.labels();
  ShardFiles files(job, "shard-{:06}.tar", std::string(2 * kTarBlock, '\0'));
  stream_encoded(job, [&](std::size_t index, StoredSample sample) {
    const std::string key = fmt::format("{:010}", index);
    const std::string label = fmt::format("{}", labels[index]);
    std::string bytes = tar_header(fmt::format("{}.{}", key, kind_of(sample)), sample.size());
    bytes.append(reinterpret_cast<const char*>(sample.data()), sample.size());
    bytes += zeros_to_block(sample.size());
    bytes += tar_header(key + ".cls", label.size()) + label + zeros_to_block(label.size());
    files.write(bytes);
  });
  files.close();
}

void write_tfrecord(const ConvertJob& job) {
  const Labels& labels = job.from.labels();
  ShardFiles files(job, "shard-{:06}.tfrecord", "");
  stream_encoded(
      job, [&](std::size_t index, StoredSample sample) { files.write(record_of_example(sample, labels[index])); });
  files.close();
}

}  // namespace loadline
