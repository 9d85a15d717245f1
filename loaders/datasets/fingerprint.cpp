#include "loaders/datasets/fingerprint.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <numeric>
#include <vector>

#include "loaders/datasets/ordered_reads.h"
#include "loaders/datasets/planes.h"
#include "loaders/datasets/text.h"
#include "loaders/datasets/tokens.h"
#include "loaders/datasets/volume.h"
#include "loaders/storage/scattered_reads.h"

namespace loadline {
namespace {

constexpr std::size_t kFingerprintSamples = 4096;
constexpr std::size_t kTokensOfASample = 1024;

class Digest {
 public:
  Digest() {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(state_);
  }
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  ~Digest() { XXH3_freeState(state_); }
  void add(const void* data, std::size_t size) { XXH3_64bits_update(state_, data, size); }
  void add_sample(const DatasetInfo& info, StoredSample sample) {
    // If sizes differ, they are part of the stored data.
    const std::uint64_t bytes = sample.size();
    if (info.encoded || info.text) add(&bytes, sizeof bytes);
    if (info.channels_last) {
      planes_.resize(sample.size());
      to_planes(sample, info.shape, planes_);
      sample = planes_;
    }
    add(sample.data(), sample.size());
  }
  std::uint64_t value() const { return XXH3_64bits_digest(state_); }

 private:
  XXH3_state_t* state_ = XXH3_createState();
  std::vector<std::byte> planes_;  // of one sample
};

void add_extents(const DatasetInfo& info, Digest& digest) {
  const std::array<std::uint64_t, 4> extents{info.samples, info.shape.channels, info.shape.height, info.shape.width};
  digest.add(extents.data(), sizeof extents);
}

void add_labels(const Dataset& dataset, Digest& digest) {
  constexpr std::size_t kAtATime = 4096;
  std::vector<std::int32_t> values(kAtATime);
  std::vector<SampleIndex> indices(kAtATime);
  const Labels& labels = dataset.labels();
  for (std::size_t first = 0; first < labels.size(); first += kAtATime) {
    const std::size_t count = std::min(kAtATime, labels.size() - first);
    for (std::size_t i = 0; i < count; ++i) values[i] = labels[first + i];
    std::iota(indices.begin(), indices.end(), static_cast<SampleIndex>(first));
    dataset.check_labels(std::span(indices).first(count), std::span(values).first(count));
    digest.add(values.data(), count * sizeof(std::int32_t));
  }
}

void add_extents(const TokenShape& tokens, Digest& digest) {
  const std::uint64_t count = tokens.tokens;
  digest.add(&count, sizeof count);
}

void add_extents(const TextShape& text, Digest& digest) {
  const std::array<std::uint64_t, 2> extents{text.documents, text.bytes};
  digest.add(extents.data(), sizeof extents);
}

void add_extents(const VolumeShape& volume, Digest& digest) {
  const std::array<std::uint64_t, 3> extents{volume.edge, volume.input_channels, volume.target_channels};
  digest.add(extents.data(), sizeof extents);
}

StoredSample as_stored_in_four(const TokenShape& tokens, StoredSample stored, std::vector<std::uint32_t>& widened) {
  if (tokens.token_bytes == 4) return stored;
  widened.resize(stored.size() / 2);
  for (std::size_t i = 0; i < widened.size(); ++i) {
    std::uint16_t token = 0;
    std::memcpy(&token, stored.data() + 2 * i, sizeof token);
    widened[i] = token;
  }
  return std::as_bytes(std::span(widened));
}

// The place of sample `number` of `count` samples spread evenly over `places`, including both ends.
std::size_t evenly(std::size_t number, std::size_t count, std::size_t places) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>(Wide{number} * (places - 1) / (count - 1));
}

// Adds runs of tokens, regardless of where samples begin. False if a stop was requested.
bool add_some_tokens(const TokenDataset& dataset, std::size_t count, Digest& digest, const std::stop_token& stop) {
  const TokenShape& tokens = *dataset.info().tokens;
  add_extents(tokens, digest);
  std::vector<std::uint32_t> widened;
  const bool mapped = dataset.info().access == Access::kMapped;
  const ScatteredReads scattered(mapped ? dataset.bytes() : std::span<const std::byte>());
  for (std::size_t i = 0; i < count; ++i) {
    if (stop.stop_requested()) return false;
    const std::size_t first = evenly(i, count, tokens.tokens - kTokensOfASample + 1);
    const auto run = dataset.bytes().subspan(first * tokens.token_bytes, kTokensOfASample * tokens.token_bytes);
    const StoredSample sample = as_stored_in_four(tokens, run, widened);
    digest.add(sample.data(), sample.size());
    dataset.check_intact();
  }
  return true;
}

// Adds stored documents, evenly spread. False if a stop was requested.
bool add_some_documents(const TextDataset& dataset, std::size_t count, Digest& digest, const std::stop_token& stop) {
  const TextShape& text = *dataset.info().text;
  add_extents(text, digest);
  const auto reader = dataset.documents().make_reader();
  for (std::size_t i = 0; i < count; ++i) {
    if (stop.stop_requested()) return false;
    const auto document = static_cast<SampleIndex>(evenly(i, count, text.documents));
    const std::string_view stored = reader->read(document, 0, dataset.documents().lengths()[document]);
    digest.add_sample(dataset.info(), std::as_bytes(std::span(stored)));
    dataset.check_intact();
  }
  return true;
}

// Adds some values in all channels. False if a stop was requested. In larger pieces each row would touch its own
// page.
bool add_some_values(const VolumeDataset& dataset, std::size_t count, Digest& digest, const std::stop_token& stop) {
  const VolumeShape& volume = *dataset.info().volume;
  add_extents(volume, digest);
  const std::size_t edge = volume.edge;
  const auto reader = dataset.make_crop_reader(1);
  const auto all_of = [&](Field field) {
    if (dataset.info().access != Access::kMapped) return std::span<const std::byte>();
    const float* first = reader->read(field, {0, 0, 0}).first;
    return std::as_bytes(std::span(first, channels_of(volume, field) * edge * edge * edge));
  };
  const ScatteredReads inputs(all_of(Field::kInput));
  const ScatteredReads targets(all_of(Field::kTarget));
  for (std::size_t i = 0; i < count; ++i) {
    if (stop.stop_requested()) return false;
    const std::size_t place = evenly(i, count, edge * edge * edge);
    for (const Field field : kFields) {
      const VolumeView value = reader->read(field, {place / (edge * edge), place / edge % edge, place % edge});
      for (std::size_t channel = 0; channel < value.channels; ++channel) {
        digest.add(value.first + static_cast<std::ptrdiff_t>(channel) * value.channel_stride, sizeof(float));
      }
    }
    dataset.check_intact();
  }
  return true;
}

}  // namespace

std::optional<std::uint64_t> content_fingerprint(const Dataset& dataset, const std::stop_token& stop) {
  Digest digest;
  const auto& tokens = dataset.info().tokens;
  if (tokens) {  // independent of how they are cut and of the bytes per token
    add_extents(*tokens, digest);
  } else if (const auto& text = dataset.info().text) {  // independent of the tokenizer
    add_extents(*text, digest);
  } else if (const auto& volume = dataset.info().volume) {  // independent of the number of crops
    add_extents(*volume, digest);
  } else {
    add_extents(dataset.info(), digest);
    add_labels(dataset, digest);
  }
  std::vector<std::uint32_t> widened;
  const bool complete = dataset.visit([&](StoredSample sample) {
    digest.add_sample(dataset.info(), tokens ? as_stored_in_four(*tokens, sample, widened) : sample);
    return !stop.stop_requested();
  });
  return complete ? std::optional(digest.value()) : std::nullopt;
}

std::uint64_t content_fingerprint(const Dataset& dataset) {
  return *content_fingerprint(dataset, std::stop_token());
}

std::optional<std::size_t> fingerprint_samples(const DatasetInfo& info) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 30;
  constexpr std::size_t kLeast = std::size_t{1} << 10;
  constexpr std::size_t kEncoded = std::size_t{32} << 10;
  if (info.tokens) {
    return info.tokens->tokens > kMostBytes / sizeof(std::uint32_t) ? std::optional(kFingerprintSamples) : std::nullopt;
  }
  if (info.text) {
    return info.text->bytes > kMostBytes ? std::optional(std::min(info.text->documents, kFingerprintSamples))
                                         : std::nullopt;
  }
  if (info.volume) return info.volume->bytes() > kMostBytes ? std::optional(kFingerprintSamples) : std::nullopt;
  const std::size_t sample_bytes = info.encoded ? kEncoded : std::max(info.sample_bytes(), kLeast);
  return info.samples > kMostBytes / sample_bytes ? std::optional(std::min(info.samples, kFingerprintSamples))
                                                  : std::nullopt;
}

std::optional<std::uint64_t> run_fingerprint(const Dataset& dataset, const std::stop_token& stop) {
  const auto count = fingerprint_samples(dataset.info());
  if (!count) return content_fingerprint(dataset, stop);
  Digest digest;
  if (const auto* tokens = dataset.as_tokens()) {
    const bool complete = add_some_tokens(*tokens, *count, digest, stop);
    return complete ? std::optional(digest.value()) : std::nullopt;
  }
  if (const auto* text = dataset.as_text()) {
    const bool complete = add_some_documents(*text, *count, digest, stop);
    return complete ? std::optional(digest.value()) : std::nullopt;
  }
  if (const auto* volume = dataset.as_volume()) {
    const bool complete = add_some_values(*volume, *count, digest, stop);
    return complete ? std::optional(digest.value()) : std::nullopt;
  }
  add_extents(dataset.info(), digest);
  const auto index_of = [&](std::size_t number) {
    return static_cast<SampleIndex>(number * dataset.info().samples / *count);
  };
  const bool complete = read_in_order(dataset, *count, index_of, [&](std::size_t number, StoredSample sample) {
    const SampleIndex index = index_of(number);
    const std::int32_t label = dataset.labels()[index];
    dataset.check_labels({&index, 1}, {&label, 1});
    digest.add(&label, sizeof label);
    digest.add_sample(dataset.info(), sample);
    return !stop.stop_requested();
  });
  if (!complete) return std::nullopt;
  dataset.check_intact();
  return digest.value();
}

}  // namespace loadline
