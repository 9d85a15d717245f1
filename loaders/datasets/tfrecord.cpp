#include <fmt/format.h>

#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/shards.h"
#include "loaders/datasets/tfrecord_scan.h"
#include "loaders/error.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// "train-00000-of-01024".
bool ends_in_series(std::string_view name) {
  const auto digits_before = [&](std::size_t end) {
    std::size_t first = end;
    while (first > 0 && std::isdigit(static_cast<unsigned char>(name[first - 1])) != 0) --first;
    return first;
  };
  const std::size_t count = digits_before(name.size());
  constexpr std::string_view kOf = "-of-";
  return count < name.size() && name.substr(0, count).ends_with(kOf) &&
         digits_before(count - kOf.size()) < count - kOf.size();
}

bool is_tfrecord_name(std::string_view name) {
  return name.ends_with(".tfrecord") || name.ends_with(".tfrecords") || name.ends_with(".tfrec") ||
         ends_in_series(name);
}

bool is_compressed_tfrecord_name(std::string_view name) {
  return name.ends_with(".gz") && is_tfrecord_name(name.substr(0, name.size() - 3));
}

constexpr ShardNames kTfRecordNames{"tfrecord", is_tfrecord_name, is_compressed_tfrecord_name};

class TfRecord final : public Dataset {
 public:
  TfRecord(DatasetInfo info, std::vector<std::int32_t> labels, const std::vector<fs::path>& shards, ShardIndex index)
      : Dataset(std::move(info), std::move(labels)), shards_(shards, std::move(index)) {}

  std::unique_ptr<SampleReader> make_reader(std::size_t /*most*/) const override {
    return std::make_unique<Reader>(shards_);
  }
  bool find_mapped(std::span<const SampleIndex> indices, std::span<StoredSample> out) const override {
    for (std::size_t i = 0; i < indices.size(); ++i) out[i] = shards_.sample(indices[i]);
    return true;
  }
  std::string describe(SampleIndex index) const override {
    const ShardIndex& found = shards_.index();
    return fmt::format("{}: record at byte {}", shards_.shard_of(index).path().string(),
                       found.offsets[index] - found.leads[index]);
  }
  void check_intact() const override { shards_.check_intact(); }
  void check_files() const override { shards_.check_files(); }
  std::vector<MappedBytes> mapped_files() const override { return shards_.mapped_files(); }

 private:
  class Reader final : public SampleReader {
   public:
    explicit Reader(const MappedShards& shards) : shards_(shards) {}

    void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
      for (std::size_t i = 0; i < indices.size(); ++i) out[i] = shards_.sample(indices[i]);
    }

    // Reads the whole record, most of which is the image.
    void check(SampleIndex index) const override {
      const ShardIndex& found = shards_.index();
      if (is_sound_record(shards_.shard_of(index).bytes(), found.offsets[index] - found.leads[index])) return;
      throw Error("the checksum of its record is wrong (corrupt)");
    }

   private:
    const MappedShards& shards_;
  };

  void forget_samples() const override { shards_.forget_pages(); }

  MappedShards shards_;
};

}  // namespace

bool recognises_tfrecord(const fs::path& path) {
  return has_shards(path, kTfRecordNames);
}

std::unique_ptr<Dataset> open_tfrecord(const fs::path& path, const DatasetOptions& options) {
  const auto shards = shards_at(path, options.split, kTfRecordNames);
  ShardIndex index = index_of(shards, kTfRecordNames.format, scan_tfrecord);
  DatasetInfo info = shards_info(kTfRecordNames.format, shards, index);
  auto labels = std::exchange(index.labels, {});
  return std::make_unique<TfRecord>(std::move(info), std::move(labels), shards, std::move(index));
}

}  // namespace loadline
