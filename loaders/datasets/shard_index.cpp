#include "loaders/datasets/shard_index.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_stamp.h"
#include "loaders/system/affinity.h"
#include "loaders/system/environment.h"
#include "loaders/system/parallel.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

Error scan_refusal(const fs::path& path, const std::string& why) {
  return Error(fmt::format("cannot open {}: {}", path.string(), why));
}

// Its last digit changes with the layout, and if the same shards are found to hold other samples than before.
constexpr std::array<char, 8> kIndexMagic{'l', 'l', 'i', 'n', 'd', 'e', 'x', '2'};
constexpr std::size_t kLeastSamplesKept = 4096;  // samples: fewer are scanned in a few milliseconds

// nullopt if the environment names no place.
std::optional<fs::path> kept_index(const std::vector<fs::path>& shards, std::string_view format) {
  const auto cache = cache_directory();
  if (!cache) return std::nullopt;
  // The same shards in the same place have one index, even if they have changed.
  std::string text(format);
  for (const fs::path& shard : shards) text += '\n' + fs::absolute(shard).string();
  return *cache / "loadline" / "index" / fmt::format("{:016x}.index", XXH3_64bits(text.data(), text.size()));
}

struct IndexHeader {
  std::array<char, 8> magic = kIndexMagic;
  std::uint64_t identity = 0;
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::uint64_t leads = 0;     // as many, or none
  std::uint64_t checksum = 0;  // XXH3 of all that follows
};

std::uint64_t checksum_of(const ShardIndex& index) {
  const auto hash = [](const auto& values, std::uint64_t seed) {
    return XXH3_64bits_withSeed(values.data(), values.size() * sizeof values[0], seed);
  };
  return hash(index.leads, hash(index.labels, hash(index.bytes, hash(index.offsets, hash(index.ends, 1)))));
}

// The samples of all shards, in order.
ShardIndex joined(const std::vector<fs::path>& shards, std::vector<ShardIndex> found) {
  std::size_t samples = 0;
  for (const ShardIndex& part : found) samples += part.offsets.size();
  if (samples >= std::numeric_limits<SampleIndex>::max()) {
    throw Error(fmt::format("cannot open {}: {} samples are more than 2^32 - 2", shards.front().string(), samples));
  }
  ShardIndex all;
  all.offsets.reserve(samples);
  all.bytes.reserve(samples);
  all.labels.reserve(samples);
  for (ShardIndex& part : found) {
    all.offsets.insert(all.offsets.end(), part.offsets.begin(), part.offsets.end());
    all.bytes.insert(all.bytes.end(), part.bytes.begin(), part.bytes.end());
    all.leads.insert(all.leads.end(), part.leads.begin(), part.leads.end());
    all.labels.insert(all.labels.end(), part.labels.begin(), part.labels.end());
    all.ends.push_back(static_cast<SampleIndex>(all.offsets.size()));
    part = {};
  }
  return all;
}

ShardIndex scan_all(const std::vector<fs::path>& shards, const ScanShard& scan) {
  std::vector<ShardIndex> found(shards.size());
  in_parallel(shards.size(), affinity_cpus().size(),
              [&](std::size_t /*worker*/, std::size_t shard) { scan(shards[shard], found[shard]); });
  return joined(shards, std::move(found));
}

// Without any label all samples are of one class. With some, one without is a mistake; one that is lost fits either.
void settle_labels(const std::vector<fs::path>& shards, ShardIndex& index) {
  const auto labelled = [](std::int32_t label) { return label >= 0; };
  const auto none = std::ranges::find(index.labels, kNoLabel);
  if (none != index.labels.end() && std::ranges::any_of(index.labels, labelled)) {
    const auto sample = static_cast<SampleIndex>(none - index.labels.begin());
    throw scan_refusal(shards[index.shard_of(sample)],
                       fmt::format("the sample at byte {} has no label, but others do", index.offsets[sample]));
  }
  std::ranges::replace_if(index.labels, std::not_fn(labelled), 0);
}

}  // namespace

std::size_t ShardIndex::shard_of(SampleIndex index) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(ends, index) - ends.begin());
}

std::uint64_t identity_of(const std::vector<fs::path>& shards, std::string_view format) {
  std::string text(format);
  for (const fs::path& shard : shards) {
    const auto stamp = stamp_of(shard).value_or(FileStamp{});
    text += fmt::format("\n{}\n{} {} {} {} {}", fs::absolute(shard).string(), stamp.device, stamp.inode, stamp.bytes,
                        stamp.modified_ns, stamp.changed_ns);
  }
  return XXH3_64bits(text.data(), text.size());
}

std::optional<ShardIndex> load_index(const fs::path& file, std::uint64_t identity) {
  std::error_code missing;
  if (!fs::exists(file, missing)) return std::nullopt;
  try {
    const File in = File::open(file);
    const std::size_t size = in.size_bytes();
    IndexHeader header;
    if (size < sizeof header) return std::nullopt;
    in.read_exactly(0, std::as_writable_bytes(std::span(&header, 1)));
    if (header.magic != kIndexMagic || header.identity != identity) return std::nullopt;
    constexpr std::size_t kOfASample = sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(std::int32_t);
    if (header.shards > size || header.samples > size || (header.leads != 0 && header.leads != header.samples) ||
        size != sizeof header + header.shards * sizeof(SampleIndex) + header.samples * kOfASample +
                    header.leads * sizeof(std::uint32_t)) {
      return std::nullopt;
    }
    ShardIndex index;
    std::size_t at = sizeof header;
    const auto take = [&](auto& values, std::size_t count) {
      values.resize(count);
      in.read_exactly(at, std::as_writable_bytes(std::span(values)));
      at += count * sizeof values[0];
    };
    take(index.ends, header.shards);
    take(index.offsets, header.samples);
    take(index.bytes, header.samples);
    take(index.labels, header.samples);
    take(index.leads, header.leads);
    if (header.checksum != checksum_of(index)) return std::nullopt;
    return index;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void save_index(const fs::path& file, std::uint64_t identity, const ShardIndex& index) {
  const IndexHeader header{.identity = identity,
                           .shards = index.ends.size(),
                           .samples = index.offsets.size(),
                           .leads = index.leads.size(),
                           .checksum = checksum_of(index)};
  AtomicFile out(file);
  out.write(std::as_bytes(std::span(&header, 1)));
  out.write(std::as_bytes(std::span(index.ends)));
  out.write(std::as_bytes(std::span(index.offsets)));
  out.write(std::as_bytes(std::span(index.bytes)));
  out.write(std::as_bytes(std::span(index.labels)));
  out.write(std::as_bytes(std::span(index.leads)));
  out.commit();
}

ShardIndex index_of(const std::vector<fs::path>& shards, std::string_view format, const ScanShard& scan) {
  const auto kept = kept_index(shards, format);
  // Taken before reading: a shard that is written to meanwhile gets another identity.
  const std::uint64_t identity = identity_of(shards, format);
  if (kept) {
    if (auto index = load_index(*kept, identity)) return std::move(*index);
  }
  ShardIndex index = scan_all(shards, scan);
  if (index.offsets.empty()) throw scan_refusal(shards.front(), "it contains no samples");
  settle_labels(shards, index);
  if (kept && index.offsets.size() >= kLeastSamplesKept) {
    // Only helps the next run: if the index cannot be written, that run scans again.
    try {
      std::error_code failed;
      fs::create_directories(kept->parent_path(), failed);
      save_index(*kept, identity, index);
    } catch (const Error&) {
    }
  }
  return index;
}

}  // namespace loadline
