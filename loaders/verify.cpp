#include "loaders/verify.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "loaders/datasets/text.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/system/affinity.h"
#include "loaders/transforms/jpeg.h"
#include "loaders/transforms/opencv.h"
#include "loaders/transforms/pixels.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// Samples that a thread takes at a time.
constexpr std::size_t kBlock = 16;

// Equal digests mean equal contents; a chance collision is practically impossible.
struct Digest {
  std::uint64_t hash = 0;
  std::uint64_t bytes = 0;

  auto operator<=>(const Digest&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 reads it wrongly
};

Digest digest_of(std::span<const std::byte> bytes) {
  return {XXH3_64bits(bytes.data(), bytes.size()), bytes.size()};
}

// Checks all samples on several threads.
class EncodedCheck {
 public:
  EncodedCheck(const Dataset& dataset, const std::stop_token& stop)
      : dataset_(dataset), stop_(stop), digests_(dataset.info().samples) {}

  // Returns whether it reached the end.
  bool run(const VerifyProgress& progress) {
    const std::size_t blocks = (digests_.size() + kBlock - 1) / kBlock;
    const std::size_t threads = std::clamp<std::size_t>(affinity_cpus().size(), 1, std::max<std::size_t>(blocks, 1));
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < threads; ++i) others.emplace_back([this] { work({}); });
      work(progress);
    }
    if (failure_) std::rethrow_exception(failure_);
    std::ranges::sort(faults_, {}, &SampleFault::index);
    return !stop_.stop_requested();
  }

  std::vector<SampleFault> take_faults() { return std::move(faults_); }

  std::vector<Duplicate> duplicates() const {
    std::map<Digest, SampleIndex> first;
    std::vector<Duplicate> found;
    for (SampleIndex i = 0; i < digests_.size(); ++i) {
      if (!digests_[i]) continue;
      const auto [known, is_new] = first.emplace(*digests_[i], i);
      if (!is_new) found.push_back({.name = dataset_.describe(i), .same_as = dataset_.describe(known->second)});
    }
    return found;
  }

 private:
  void work(const VerifyProgress& progress) {
    try {
      const auto reader = dataset_.make_reader(1);
      JpegDecoder jpeg;
      OpenCvDecoder opencv;
      for (;;) {
        const std::size_t begin = next_.fetch_add(kBlock);
        if (begin >= digests_.size() || stop_.stop_requested()) return;
        const std::size_t end = std::min(begin + kBlock, digests_.size());
        for (std::size_t i = begin; i < end; ++i) check(static_cast<SampleIndex>(i), *reader, jpeg, opencv);
        if (progress) progress(end, digests_.size());
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = digests_.size();
    }
  }

  void check(SampleIndex index, SampleReader& reader, JpegDecoder& jpeg, OpenCvDecoder& opencv) {
    try {
      StoredSample encoded;
      reader.read({&index, 1}, {&encoded, 1});
      reader.check(index);
      digests_[index] = digest_of(encoded);
      if (looks_like_jpeg(encoded)) {
        const JpegHeader header = jpeg.open(encoded);
        jpeg.decode(whole(header.size));
      } else {
        opencv.open(encoded, false);
      }
      reader.check_intact();
    } catch (const Error& error) {
      const std::lock_guard lock(mutex_);
      faults_.push_back({.index = index, .reason = fmt::format("{}: {}", dataset_.describe(index), error.what())});
    }
  }

  const Dataset& dataset_;
  const std::stop_token& stop_;
  std::vector<std::optional<Digest>> digests_;  // each written by one thread
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // guards the two members below
  std::vector<SampleFault> faults_;
  std::exception_ptr failure_;
};

// Contents of a file, unless `stop` was requested.
Digest digest_of_file(const fs::path& path, const std::stop_token& stop) {
  const File file = File::open(path);
  Digest digest{.hash = 0, .bytes = file.size_bytes()};
  std::vector<std::byte> block(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < digest.bytes && !stop.stop_requested(); at += block.size()) {
    const auto part = std::span(block).first(std::min<std::size_t>(block.size(), digest.bytes - at));
    file.read_exactly(at, part);
    digest.hash = XXH3_64bits_withSeed(part.data(), part.size(), digest.hash);
  }
  return digest;
}

std::vector<Duplicate> duplicate_files(const FileNames& files, const std::stop_token& stop) {
  std::map<std::uint64_t, std::vector<fs::path>> by_size;
  for (const fs::path& file : files) by_size[fs::file_size(file)].push_back(file);
  std::vector<Duplicate> found;
  for (const auto& [bytes, alike] : by_size) {
    if (alike.size() < 2) continue;
    std::map<Digest, fs::path> first;
    for (const fs::path& file : alike) {
      const auto [known, is_new] = first.emplace(digest_of_file(file, stop), file);
      if (!is_new) found.push_back({.name = file.string(), .same_as = known->second.string()});
    }
  }
  return found;
}

// nullopt if a stop was requested.
std::optional<std::vector<SampleFault>> faults_of_text(const TextDataset& dataset, const VerifyProgress& progress,
                                                       const std::stop_token& stop) {
  constexpr bool kCutAnywhere = true;       // nothing is
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
  Verification found{.faults = {}, .duplicates = {}, .empty_classes = empty_classes(dataset)};
  if (!dataset.info().encoded) {
    if (const auto* text = dataset.as_text()) {
      auto faults = faults_of_text(*text, progress, stop);
      if (!faults) return std::nullopt;
      found.faults = std::move(*faults);
    }
    found.duplicates = duplicate_files(dataset.info().files, stop);
    return stop.stop_requested() ? std::nullopt : std::optional(std::move(found));
  }
  EncodedCheck check(dataset, stop);
  if (!check.run(progress)) return std::nullopt;
  found.faults = check.take_faults();
  found.duplicates = check.duplicates();
  return found;
}

}  // namespace loadline
