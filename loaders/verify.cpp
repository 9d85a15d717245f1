#include "loaders/verify.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "loaders/datasets/text.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/system/affinity.h"
#include "loaders/system/parallel.h"
#include "loaders/transforms/jpeg.h"
#include "loaders/transforms/opencv.h"
#include "loaders/transforms/pixels.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// Encoded samples that a thread takes at a time, and the most of others.
constexpr std::size_t kEncodedBlock = 16;
constexpr std::size_t kPlainBlock = 256;
constexpr std::size_t kPlainBlockBytes = std::size_t{4} << 20;

// Equal digests mean equal contents; a chance collision is practically impossible.
struct FileDigest {
  std::uint64_t hash = 0;
  std::uint64_t bytes = 0;

  auto operator<=>(const FileDigest&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 reads it wrongly
};

std::size_t block_of(const DatasetInfo& info) {
  return info.encoded ? kEncodedBlock : std::clamp<std::size_t>(kPlainBlockBytes / info.sample_bytes(), 1, kPlainBlock);
}

// The HDF5 library serves one thread at a time and keeps few chunks, so several would only disturb each other.
bool through_library(Access access) {
  return access == Access::kRows || access == Access::kBlocks;
}

// Checks all images on several threads.
class ImageCheck {
 public:
  ImageCheck(const Dataset& dataset, const std::stop_token& stop)
      : dataset_(dataset), stop_(stop), block_(block_of(dataset.info())), hashes_(dataset.info().samples) {}

  // Returns whether it reached the end.
  bool run(const VerifyProgress& progress) {
    const std::size_t blocks = (hashes_.size() + block_ - 1) / block_;
    const DatasetInfo& info = dataset_.info();
    // Encoded samples take more time to decode than to read.
    const std::size_t most = !info.encoded && through_library(info.access) ? 1 : affinity_cpus().size();
    std::vector<std::unique_ptr<Tools>> tools(std::max<std::size_t>(most, 1));
    in_parallel(blocks, tools.size(), [&](std::size_t worker, std::size_t block) {
      if (stop_.stop_requested()) return;
      if (!tools[worker]) tools[worker] = std::make_unique<Tools>(dataset_.make_reader(info.encoded ? 1 : block_));
      const std::size_t end = check_block(block, *tools[worker]);
      if (worker == 0 && progress) progress(end, hashes_.size());
    });
    std::ranges::sort(faults_, {}, &SampleFault::index);
    return !stop_.stop_requested();
  }

  const std::vector<SampleFault>& faults() const { return faults_; }

  Duplicates duplicates() const {
    const std::vector<SampleIndex> sound = sound_by_hash();
    std::vector<std::pair<SampleIndex, SampleIndex>> found;  // each with the first of its kind
    for (std::size_t i = 1, first = 0; i < sound.size(); ++i) {
      if (hashes_[sound[i]] != hashes_[sound[first]]) {
        first = i;
      } else {
        found.emplace_back(sound[i], sound[first]);
      }
    }
    std::ranges::sort(found);
    Duplicates duplicates{.count = found.size(), .first = {}};
    for (std::size_t i = 0; i < std::min(kMostDuplicatesNamed, found.size()); ++i) {
      const auto [index, first] = found[i];
      duplicates.first.push_back({.name = dataset_.describe(index), .same_as = dataset_.describe(first)});
    }
    return duplicates;
  }

 private:
  // Of one thread.
  struct Tools {
    explicit Tools(std::unique_ptr<SampleReader> samples) : reader(std::move(samples)) {}

    std::unique_ptr<SampleReader> reader;
    JpegDecoder jpeg;
    OpenCvDecoder opencv;
  };

  // All samples without a fault; equal ones are neighbours, in order.
  std::vector<SampleIndex> sound_by_hash() const {
    std::vector<SampleIndex> sound;
    sound.reserve(hashes_.size() - faults_.size());
    auto fault = faults_.begin();
    for (std::size_t i = 0; i < hashes_.size(); ++i) {
      const auto index = static_cast<SampleIndex>(i);
      if (fault != faults_.end() && fault->index == index) {
        ++fault;
      } else {
        sound.push_back(index);
      }
    }
    std::ranges::sort(sound, {}, [this](SampleIndex index) { return std::pair(hashes_[index], index); });
    return sound;
  }

  // Returns one beyond its last sample.
  std::size_t check_block(std::size_t block, Tools& tools) {
    const std::size_t begin = block * block_;
    const std::size_t end = std::min(begin + block_, hashes_.size());
    if (dataset_.info().encoded) {
      for (std::size_t i = begin; i < end; ++i) check_encoded(static_cast<SampleIndex>(i), tools);
    } else {
      check_plain(begin, end, *tools.reader);
    }
    return end;
  }

  // The length is a part of the digest.
  static std::uint64_t hash_of(StoredSample sample) {
    return XXH3_64bits_withSeed(sample.data(), sample.size(), sample.size());
  }

  void add_fault(SampleIndex index, std::string reason) {
    const std::lock_guard lock(mutex_);
    faults_.push_back({.index = index, .reason = std::move(reason)});
  }

  void check_encoded(SampleIndex index, Tools& tools) {
    auto& [reader, jpeg, opencv] = tools;
    try {
      StoredSample encoded;
      reader->read({&index, 1}, {&encoded, 1});
      reader->check(index);
      hashes_[index] = hash_of(encoded);
      if (looks_like_jpeg(encoded)) {
        const JpegHeader header = jpeg.open(encoded);
        jpeg.decode(whole(header.size));
      } else {
        opencv.open(encoded, false);
      }
      reader->check_intact();
    } catch (const Error& error) {
      // A file that was cut while in use is not a fault of single samples.
      dataset_.check_intact();
      dataset_.check_files();
      const std::string name = dataset_.describe(index);
      const std::string why = error.what();
      add_fault(index, why.find(name) == std::string::npos ? fmt::format("{}: {}", name, why) : why);
    }
  }

  // If they cannot be read together, finds out which cannot.
  void check_plain(std::size_t begin, std::size_t end, SampleReader& reader) {
    try {
      hash_plain(begin, end, reader);
    } catch (const Error&) {
      for (std::size_t i = begin; i < end && !stop_.stop_requested(); ++i) {
        try {
          hash_plain(i, i + 1, reader);
        } catch (const Error& error) {
          add_fault(static_cast<SampleIndex>(i), error.what());
        }
        // Not a fault of single samples.
        dataset_.check_intact();
      }
    }
    dataset_.check_intact();
  }

  void hash_plain(std::size_t begin, std::size_t end, SampleReader& reader) {
    std::array<SampleIndex, kPlainBlock> indices{};
    std::array<StoredSample, kPlainBlock> samples{};
    const std::size_t count = end - begin;
    std::iota(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(count), static_cast<SampleIndex>(begin));
    reader.read(std::span(indices).first(count), std::span(samples).first(count));
    for (std::size_t i = 0; i < count; ++i) hashes_[begin + i] = hash_of(samples[i]);
    reader.check_intact();
  }

  const Dataset& dataset_;
  const std::stop_token& stop_;
  const std::size_t block_;
  std::vector<std::uint64_t> hashes_;  // each written by one thread
  std::mutex mutex_;                   // guards the member below
  std::vector<SampleFault> faults_;
};

// Contents of a file, unless `stop` was requested.
FileDigest digest_of_file(const fs::path& path, const std::stop_token& stop) {
  const File file = File::open(path);
  FileDigest digest{.hash = 0, .bytes = file.size_bytes()};
  std::vector<std::byte> block(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < digest.bytes && !stop.stop_requested(); at += block.size()) {
    const auto part = std::span(block).first(std::min<std::size_t>(block.size(), digest.bytes - at));
    file.read_exactly(at, part);
    digest.hash = XXH3_64bits_withSeed(part.data(), part.size(), digest.hash);
  }
  return digest;
}

Duplicates duplicate_files(const FileNames& files, const std::stop_token& stop) {
  std::map<std::uint64_t, std::vector<fs::path>> by_size;
  for (const fs::path& file : files) by_size[fs::file_size(file)].push_back(file);
  std::vector<std::pair<fs::path, fs::path>> found;  // each with the first of its kind
  for (const auto& [bytes, alike] : by_size) {
    if (alike.size() < 2) continue;
    std::map<FileDigest, fs::path> first;
    for (const fs::path& file : alike) {
      const auto [known, is_new] = first.emplace(digest_of_file(file, stop), file);
      if (!is_new) found.emplace_back(file, known->second);
    }
  }
  std::ranges::sort(found);
  Duplicates duplicates{.count = found.size(), .first = {}};
  for (std::size_t i = 0; i < std::min(kMostDuplicatesNamed, found.size()); ++i) {
    duplicates.first.push_back({.name = found[i].first.string(), .same_as = found[i].second.string()});
  }
  return duplicates;
}

// nullopt if a stop was requested.
std::optional<std::vector<SampleFault>> faults_of_text(const TextDataset& dataset, const VerifyProgress& progress,
                                                       const std::stop_token& stop) {
  constexpr bool kCutAnywhere = true;       // documents are read whole, so where they may be cut does not matter
  constexpr std::size_t kDocuments = 1024;  // between calls of progress and checks for a stop
  const auto lengths = dataset.documents().lengths();
  TextReader reader(dataset.documents(), dataset.is_json(), dataset.json_key(), kCutAnywhere);
  std::vector<SampleFault> faults;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto document = static_cast<SampleIndex>(i);
    reader.read({.document = document, .first = 0, .end = lengths[i], .ends = true});
    try {
      reader.text();
    } catch (const Error& error) {
      faults.push_back(
          {.index = document, .reason = fmt::format("{}: {}", dataset.documents().where(document), error.what())});
    }
    if (i % kDocuments != 0) continue;
    if (stop.stop_requested()) return std::nullopt;
    dataset.check_intact();
    if (progress) progress(i, lengths.size());
  }
  dataset.check_intact();
  return faults;
}

std::vector<std::size_t> empty_classes(const Dataset& dataset) {
  std::vector<bool> known(dataset.info().labelled() ? dataset.info().classes : 0);
  for (const std::int32_t label : dataset.labels()) {
    if (static_cast<std::size_t>(label) < known.size()) known[static_cast<std::size_t>(label)] = true;
  }
  std::vector<std::size_t> empty;
  for (std::size_t label = 0; label < known.size(); ++label) {
    if (!known[label]) empty.push_back(label);
  }
  return empty;
}

}  // namespace

std::optional<Verification> verify(const Dataset& dataset, const VerifyProgress& progress,
                                   const std::stop_token& stop) {
  Verification found;
  found.empty_classes = empty_classes(dataset);
  if (dataset.info().labelled()) {
    ImageCheck check(dataset, stop);
    if (!check.run(progress)) return std::nullopt;
    found.faults = check.faults();
    found.duplicate_samples = check.duplicates();
  } else if (const auto* text = dataset.as_text()) {
    auto faults = faults_of_text(*text, progress, stop);
    if (!faults) return std::nullopt;
    found.faults = std::move(*faults);
  }
  if (!dataset.info().encoded) found.duplicate_files = duplicate_files(dataset.info().files, stop);
  return stop.stop_requested() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace loadline
