#include "loaders/datasets/tfrecord_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/error.h"
#include "loaders/storage/crc32c.h"
#include "loaders/storage/file.h"
#include "loaders/storage/mapping.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// Length, its checksum, the bytes, their checksum.
constexpr std::uint64_t kRecordHead = 12;
constexpr std::uint64_t kRecordTail = 4;

std::uint64_t little_endian_at(std::span<const std::byte> bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8U | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

// Reads a file in small windows, on demand.
class Windowed {
 public:
  explicit Windowed(const fs::path& path) : file_(File::open(path)), size_(file_.size_bytes()) {}

  std::uint64_t size() const { return size_; }
  const fs::path& path() const { return file_.path(); }
  // The bytes must exist; at most kWindow of them.
  std::span<const std::byte> at(std::uint64_t offset, std::size_t count) {
    if (offset < first_ || offset + count > first_ + held_) {
      held_ = static_cast<std::size_t>(std::min<std::uint64_t>(window_.size(), size_ - offset));
      first_ = offset;
      file_.read_exactly(offset, std::span(window_).first(held_));
    }
    return std::span<const std::byte>(window_).subspan(static_cast<std::size_t>(offset - first_), count);
  }

  static constexpr std::size_t kWindow = 1024;

 private:
  File file_;
  std::uint64_t size_;
  std::uint64_t first_ = 0;
  std::size_t held_ = 0;
  std::vector<std::byte> window_ = std::vector<std::byte>(kWindow);
};

// A part of the file that is a message or a text.
struct Extent {
  std::uint64_t first = 0;
  std::uint64_t end = 0;

  std::uint64_t bytes() const { return end - first; }
};

// Walks through the fields of a message in Protocol Buffers' wire format, without reading what they hold.
class Fields {
 public:
  struct Field {
    std::uint64_t number = 0;
    unsigned type = 0;
    std::uint64_t value = 0;  // of type kVarint
    Extent extent;            // of type kLength
  };
  static constexpr unsigned kVarint = 0;
  static constexpr unsigned kLength = 2;

  Fields(Windowed& file, const Extent& message) : file_(file), at_(message.first), end_(message.end) {}

  // nullopt at the end, and if the message is malformed: then sound() is false.
  std::optional<Field> next() {
    if (at_ == end_ || !sound_) return std::nullopt;
    const auto tag = varint();
    if (!tag) return broken();
    Field field{.number = *tag >> 3U, .type = static_cast<unsigned>(*tag & 7U), .value = 0, .extent = {}};
    constexpr unsigned kFixed64 = 1;
    constexpr unsigned kFixed32 = 5;
    if (field.type == kVarint) {
      const auto value = varint();
      if (!value) return broken();
      field.value = *value;
      return field;
    }
    std::optional<std::uint64_t> length;
    if (field.type == kLength) length = varint();
    if (field.type == kFixed64) length = 8;
    if (field.type == kFixed32) length = 4;
    if (!length || *length > end_ - at_) return broken();
    field.extent = {.first = at_, .end = at_ + *length};
    at_ += *length;
    return field;
  }

  // The next number of a packed list.
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < end_; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(file_.at(at_++, 1)[0]);
      value |= (byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    return std::nullopt;
  }

  bool sound() const { return sound_; }

 private:
  std::optional<Field> broken() {
    sound_ = false;
    return std::nullopt;
  }

  Windowed& file_;
  std::uint64_t at_;
  std::uint64_t end_;
  bool sound_ = true;
};

// The features to look for in a tf.train.Example: the names in TensorFlow's models, then those in TensorFlow
// Datasets.
constexpr std::array<std::string_view, 2> kImageFeatures{"image/encoded", "image"};
constexpr std::array<std::string_view, 2> kLabelFeatures{"image/class/label", "label"};

// Example { Features features = 1; }, Features { map<string, Feature> feature = 1; }, Feature { BytesList = 1;
// FloatList = 2; Int64List = 3; }, each list { repeated value = 1; }; a map is a list of { key = 1; value = 2; }.
class ExampleScan {
 public:
  ExampleScan(Windowed& file, std::uint64_t record) : file_(file), record_(record) {}

  void run(const Extent& example) {
    Fields fields(file_, example);
    while (const auto field = fields.next()) {
      if (field->number == 1 && field->type == Fields::kLength) features(field->extent);
    }
    check(fields);
    if (image_) return;
    throw refusal(fmt::format("has no feature 'image/encoded' or 'image' of bytes; it has {}",
                              names_.empty() ? "none at all" : names_));
  }

  const Extent& image() const { return *image_; }
  std::int32_t label() const { return label_; }

 private:
  Error refusal(const std::string& why) const {
    return Error(fmt::format("cannot open {}: the record at byte {} {}", file_.path().string(), record_, why));
  }
  void check(const Fields& fields) const {
    if (!fields.sound()) throw refusal("is not a tf.train.Example");
  }

  void features(const Extent& extent) {
    Fields fields(file_, extent);
    while (const auto field = fields.next()) {
      if (field->number == 1 && field->type == Fields::kLength) feature(field->extent);
    }
    check(fields);
  }

  void feature(const Extent& extent) {
    Fields fields(file_, extent);
    std::string name;
    std::optional<Extent> value;
    while (const auto field = fields.next()) {
      if (field->type != Fields::kLength) continue;
      if (field->number == 1) name = text_of(field->extent);
      if (field->number == 2) value = field->extent;
    }
    check(fields);
    if (names_.size() < kMostNamed) names_ += fmt::format("{}'{}'", names_.empty() ? "" : ", ", name);
    if (!value) return;
    if (prefers(kImageFeatures, name, image_name_)) image_value(*value);
    if (prefers(kLabelFeatures, name, label_name_)) label_value(*value, name);
  }

  // If both names exist, the first of `wanted` counts, whatever their order in the record.
  static bool prefers(std::span<const std::string_view> wanted, const std::string& name, std::size_t& found) {
    const auto place = static_cast<std::size_t>(std::ranges::find(wanted, name) - wanted.begin());
    if (place >= wanted.size() || place > found) return false;
    found = place;
    return true;
  }

  std::string text_of(const Extent& extent) {
    if (extent.bytes() > Windowed::kWindow / 4) return "";
    const auto bytes = file_.at(extent.first, static_cast<std::size_t>(extent.bytes()));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  void image_value(const Extent& feature) {
    for_list(feature, 1, [&](Fields& list) {
      while (const auto field = list.next()) {
        if (field->number != 1 || field->type != Fields::kLength) continue;
        if (image_of_this_) throw refusal("has several images in one feature");
        image_of_this_ = true;
        image_ = field->extent;
      }
    });
    image_of_this_ = false;
  }

  void label_value(const Extent& feature, const std::string& name) {
    for_list(feature, 3, [&](Fields& list) {
      while (const auto field = list.next()) {
        if (field->number != 1) continue;
        if (field->type == Fields::kVarint) take_label(field->value, name);
        if (field->type != Fields::kLength) continue;
        Fields packed(file_, field->extent);
        if (const auto value = packed.varint()) take_label(*value, name);
      }
    });
  }

  void take_label(std::uint64_t value, const std::string& name) {
    if (value >= static_cast<std::uint64_t>(kMostClasses)) {
      throw refusal(fmt::format("has label {} in '{}', want from 0 to {}", static_cast<std::int64_t>(value), name,
                                kMostClasses - 1));
    }
    label_ = static_cast<std::int32_t>(value);
  }

  template <typename Use>
  void for_list(const Extent& feature, std::uint64_t kind, const Use& use) {
    Fields fields(file_, feature);
    while (const auto field = fields.next()) {
      if (field->number != kind || field->type != Fields::kLength) continue;
      Fields list(file_, field->extent);
      use(list);
      check(list);
    }
    check(fields);
  }

  static constexpr std::size_t kMostNamed = 200;  // characters

  Windowed& file_;
  std::uint64_t record_;
  std::optional<Extent> image_;
  bool image_of_this_ = false;
  std::int32_t label_ = kNoLabel;
  std::size_t image_name_ = kImageFeatures.size();
  std::size_t label_name_ = kLabelFeatures.size();
  std::string names_;
};

// Locates the bytes of the record at `at`; checks the checksum of their length.
Extent record_at(Windowed& file, std::uint64_t at) {
  const auto refusal = [&](const std::string& why) {
    return Error(fmt::format("cannot open {}: the record at byte {} {}", file.path().string(), at, why));
  };
  if (file.size() - at < kRecordHead + kRecordTail)
    throw refusal("is cut off: the file ends within its head (truncated)");
  const auto head = file.at(at, kRecordHead);
  if (masked(crc32c(head.first(8))) != little_endian_at(head.subspan(8), 4)) {
    const bool gzip = at == 0 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b};
    // RFC 1950: the two bytes together are a multiple of 31.
    const bool zlib = at == 0 && head[0] == std::byte{0x78} && (0x7800U + std::to_integer<unsigned>(head[1])) % 31 == 0;
    if (gzip || zlib) {
      throw Error(
          fmt::format("cannot open {}: it is compressed by {}, so single samples cannot be read; write the records "
                      "uncompressed (compression hardly shrinks images)",
                      file.path().string(), gzip ? "gzip" : "zlib"));
    }
    throw refusal(at == 0 ? "has a wrong length checksum: not a TFRecord file, or corrupt"
                          : "has a wrong length checksum (corrupt)");
  }
  const std::uint64_t bytes = little_endian_at(head, 8);
  if (bytes > file.size() - at - kRecordHead - kRecordTail) {
    throw refusal(fmt::format("has {} bytes, the file has {} more (truncated)", bytes, file.size() - at - kRecordHead));
  }
  return {.first = at + kRecordHead, .end = at + kRecordHead + bytes};
}

struct FoundSample {
  Extent image;
  std::int32_t label = kNoLabel;
};

// Maps the file because checksums need all bytes of a record, which may be large.
bool is_sound(const fs::path& path, std::uint64_t at) {
  return is_sound_record(MappedFile(path).bytes(), at);
}

FoundSample parsed(Windowed& file, std::uint64_t at, const Extent& record) {
  ExampleScan example(file, at);
  example.run(record);
  if (record.bytes() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(fmt::format("cannot open {}: the record at byte {} has {} bytes, want less than 4 GiB",
                            file.path().string(), at, record.bytes()));
  }
  return {.image = example.image(), .label = example.label()};
}

// A damaged record counts as a sample that fails its check, because one of them should not make all others unreadable.
// Only records that cannot be parsed are looked at: the checksum of any other is checked when its sample is read.
FoundSample sample_at(Windowed& file, std::uint64_t at, const Extent& record) {
  try {
    return parsed(file, at, record);
  } catch (const Error&) {
    if (is_sound(file.path(), at)) throw;
  }
  const std::uint64_t bytes = std::min<std::uint64_t>(record.bytes(), std::numeric_limits<std::uint32_t>::max());
  return {.image = {.first = record.first, .end = record.first + bytes}};
}

void add(const FoundSample& sample, std::uint64_t at, ShardIndex& index) {
  index.offsets.push_back(sample.image.first);
  index.bytes.push_back(static_cast<std::uint32_t>(sample.image.bytes()));
  index.leads.push_back(static_cast<std::uint32_t>(sample.image.first - at));
  index.labels.push_back(sample.label);
}

// If all records without a label are damaged, nothing is known about their labels. Otherwise the index of all shards
// decides: no record has a label, or one was forgotten.
void label_damaged(const fs::path& path, ShardIndex& index) {
  for (std::size_t i = 0; i < index.labels.size(); ++i) {
    if (index.labels[i] == kNoLabel && is_sound(path, index.offsets[i] - index.leads[i])) return;
  }
  std::ranges::replace(index.labels, kNoLabel, kLostLabel);
}

}  // namespace

void scan_tfrecord(const fs::path& path, ShardIndex& index) {
  Windowed file(path);
  for (std::uint64_t at = 0; at < file.size();) {
    const Extent record = record_at(file, at);
    add(sample_at(file, at, record), at, index);
    at = record.end + kRecordTail;
  }
  label_damaged(path, index);
}

bool is_sound_record(std::span<const std::byte> file, std::uint64_t at) {
  const auto record = file.subspan(at);
  const std::uint64_t bytes = little_endian_at(record, 8);
  // The length was correct when the file was opened.
  return record.size() >= kRecordHead + kRecordTail && bytes <= record.size() - kRecordHead - kRecordTail &&
         masked(crc32c(record.subspan(kRecordHead, bytes))) ==
             little_endian_at(record.subspan(kRecordHead + bytes), kRecordTail);
}

}  // namespace loadline
