#include "loaders/check_loader.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kNamed = 5;  // most samples that a fault names

// The values of an image in the order channel, row, column.
using Values = std::vector<double>;

template <typename T>
double value_at(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

using ValueReader = double (*)(const std::byte*);

struct ReadableType {
  std::string_view name;
  std::size_t bytes;
  ValueReader read;
};

template <typename T>
constexpr ReadableType readable(std::string_view name) {
  return {name, sizeof(T), value_at<T>};
}

// Half precision is too coarse to tell images apart.
constexpr std::array kReadable{readable<std::uint8_t>("u8"),  readable<std::int8_t>("i8"),
                               readable<std::int16_t>("i16"), readable<std::int32_t>("i32"),
                               readable<std::int64_t>("i64"), readable<float>("f32"),
                               readable<double>("f64")};

// A digest of an image without each channel's brightness and contrast, which normalisation changes.
std::uint64_t signature_of(const Values& values, const ImageShape& shape) {
  // 16 levels tell images apart well enough. The shift is irrational (the golden section), so no fraction of whole
  // numbers up to 255 is near a step between two levels, and rounding does not matter.
  constexpr double kLevels = 16;
  constexpr double kShift = 0.3819660112501051;
  std::vector<std::uint8_t> levels(values.size());
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(channel * shape.pixels());
    const auto last = first + static_cast<std::ptrdiff_t>(shape.pixels());
    const auto [least, most] = std::minmax_element(first, last);
    const double range = *most - *least;
    if (!(range > 0) || !std::isfinite(range)) continue;
    std::transform(first, last, levels.begin() + (first - values.begin()), [&, low = *least](double value) {
      return static_cast<std::uint8_t>(std::floor((value - low) / range * kLevels + kShift));
    });
  }
  return XXH3_64bits(levels.data(), levels.size());
}

// How to read an image out of a delivered sample.
class SampleValues {
 public:
  // nullopt if the format is not that of an image of this shape.
  static std::optional<SampleValues> of(const DeliveredFormat& format, const ImageShape& shape) {
    const auto type = std::ranges::find(kReadable, format.dtype, &ReadableType::name);
    if (type == kReadable.end()) return std::nullopt;
    using Shape = std::vector<std::size_t>;
    const std::size_t channels = shape.channels;
    const std::size_t height = shape.height;
    const std::size_t width = shape.width;
    const bool planar = format.shape == Shape{channels, height, width} || format.shape == Shape{shape.elements()} ||
                        (channels == 1 && format.shape == Shape{height, width});
    if (!planar && format.shape != Shape{height, width, channels}) return std::nullopt;
    return SampleValues(*type, shape, planar);
  }

  // Of the dataset's own samples.
  static SampleValues of_stored(const DatasetInfo& info) {
    return {*std::ranges::find(kReadable, "u8", &ReadableType::name), info.shape, !info.channels_last};
  }

  std::size_t bytes() const { return values_.size() * type_.bytes; }  // of a sample

  std::uint64_t signature(const std::byte* sample) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const std::size_t from = planar_ ? i : i % shape_.pixels() * shape_.channels + i / shape_.pixels();
      values_[i] = type_.read(sample + from * type_.bytes);
    }
    return signature_of(values_, shape_);
  }

 private:
  SampleValues(const ReadableType& type, const ImageShape& shape, bool planar)
      : type_(type), shape_(shape), planar_(planar), values_(shape.elements()) {}

  ReadableType type_;
  ImageShape shape_;
  bool planar_;
  Values values_;
};

using Signatures = std::unordered_map<std::uint64_t, std::vector<SampleIndex>>;

// The signatures of all samples; empty if these are not images of one size.
Signatures signatures_of(const Dataset& dataset, const std::stop_token& stop) {
  Signatures signatures;
  const DatasetInfo& info = dataset.info();
  if (info.encoded || !info.labelled()) return signatures;
  auto values = SampleValues::of_stored(info);
  SampleIndex index = 0;
  dataset.visit([&](StoredSample stored) {
    for (std::size_t at = 0; at < stored.size(); at += info.sample_bytes()) {
      signatures[values.signature(stored.data() + at)].push_back(index++);
    }
    return !stop.stop_requested();
  });
  return signatures;
}

std::string named(const Dataset& dataset, const std::vector<SampleIndex>& samples) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, samples.size()); ++i) {
    // Samples with their own file are named by it.
    const std::string own = dataset.info().encoded ? dataset.describe(samples[i]) : fmt::format("{}", samples[i]);
    text += fmt::format("{}{}", i == 0 ? "" : ", ", own);
  }
  if (samples.size() > kNamed) text += fmt::format(" and {} more", samples.size() - kNamed);
  return text;
}

std::string samples_text(std::size_t count) {
  return count == 1 ? "1 sample" : fmt::format("{} samples", count);
}

std::string with_workers(std::size_t workers) {
  return fmt::format("with {} worker{}", workers, workers == 1 ? "" : "s");
}

// Counts the samples of one epoch as they come.
struct Tally {
  std::vector<std::uint32_t> times;       // of each sample of the dataset
  std::vector<SampleIndex> wrong_labels;  // of identified samples
  std::map<std::int32_t, std::size_t> labels;
  std::size_t out_of_range = 0;  // indices
  std::size_t unknown = 0;       // contents that no sample has
  std::size_t batches = 0;
  std::size_t samples = 0;
};

class Checker {
 public:
  Checker(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler, const LoaderCheckOptions& options)
      : kind_(kind), assembler_(assembler), dataset_(assembler.dataset()), sampler_(sampler), options_(options) {
    share_ = std::vector<bool>(dataset_.info().samples, sampler.options().world_size == 1);
  }

  LoaderCheck run() {
    for (const std::size_t workers : options_.workers) check_with(workers);
    compare_counts();
    return std::move(check_);
  }

 private:
  void check_with(std::size_t workers) {
    workers_ = workers;
    tallies_.clear();
    try {
      load();
    } catch (const Error& error) {
      if (options_.stop.stop_requested()) throw;
      check_.faults.push_back(where() + error.what());
      failed_ = true;
    }
    if (options_.stop.stop_requested()) throw Error(fmt::format("checking {} was interrupted", kind_.name));
    for (std::uint64_t epoch = 0; epoch < tallies_.size(); ++epoch) judge(epoch, tallies_[epoch]);
    if (!std::exchange(failed_, false) && tallies_.size() < options_.epochs) {
      check_.faults.push_back(
          fmt::format("{}it ended after {} of {} epochs", where(), tallies_.size(), options_.epochs));
    }
  }

  void load() {
    LoaderOptions options = options_.loader;
    options.workers = workers_;
    options.stream = {.epochs = options_.epochs};
    const auto feed = kind_.make(assembler_, sampler_, options);
    const std::stop_callback close_feed(options_.stop, [&feed] { feed->close(); });
    // Far more than an epoch can have: it does not end.
    const std::size_t most = 2 * sampler_.samples_per_epoch() + 2 * sampler_.batch_size();
    while (const Batch batch = feed->next()) {
      while (tallies_.size() <= batch->epoch) tallies_.push_back({.times = std::vector<std::uint32_t>(share_.size())});
      Tally& tally = tallies_[batch->epoch];
      if (tallies_.size() == 1 && tally.batches == 0) begin(*feed, *batch);
      count(*batch, tally);
      if (tally.samples > most) {
        throw Error(fmt::format("epoch {} does not end: it has delivered {} of {} samples so far", batch->epoch,
                                tally.samples, sampler_.samples_per_epoch()));
      }
    }
  }

  // The first batch shows by what samples can be recognised.
  void begin(const Feed& feed, const Slot& batch) {
    const DeliveredFormat* format = feed.delivered();
    recognition_ = !batch.indices.empty() ? Recognition::kIndices : Recognition::kCounts;
    values_.reset();
    if (recognition_ == Recognition::kCounts) {
      if (format != nullptr) values_ = SampleValues::of(*format, dataset_.info().shape);
      if (values_ && (batch.count == 0 || batch.data.size() < values_->bytes())) values_.reset();
      if (values_ && signatures_.empty()) signatures_ = signatures_of(dataset_, options_.stop);
      if (values_ && !signatures_.empty() && signatures_.contains(values_->signature(batch.data.data()))) {
        recognition_ = Recognition::kContents;
      } else if (!batch.labels.empty()) {
        recognition_ = Recognition::kLabels;
      }
    }
    check_.recognition = recognition_;
    if (format != nullptr) check_.delivered = *format;
  }

  void count(const Slot& batch, Tally& tally) {
    ++tally.batches;
    tally.samples += batch.count;
    for (std::size_t i = 0; i < batch.count; ++i) {
      const auto label = batch.labels.empty() ? std::nullopt : std::optional(batch.labels[i]);
      if (label) ++tally.labels[*label];
      if (recognition_ == Recognition::kIndices) {
        if (batch.indices[i] >= tally.times.size()) {
          ++tally.out_of_range;
        } else {
          count_sample(batch.indices[i], label, tally);
        }
      } else if (recognition_ == Recognition::kContents) {
        // Later batches may have another format.
        if (batch.sample_bytes != values_->bytes() || batch.bytes().size() < batch.count * batch.sample_bytes) {
          ++tally.unknown;
          continue;
        }
        count_contents(values_->signature(batch.data.data() + i * batch.sample_bytes), label, tally);
      }
    }
  }

  void count_sample(SampleIndex index, std::optional<std::int32_t> label, Tally& tally) {
    ++tally.times[index];
    if (label && !dataset_.labels().empty() && dataset_.labels()[index] != *label) tally.wrong_labels.push_back(index);
  }

  // Among several samples with the same contents, counts the one whose label fits and that came least often so far.
  void count_contents(std::uint64_t signature, std::optional<std::int32_t> label, Tally& tally) {
    const auto found = signatures_.find(signature);
    if (found == signatures_.end()) {
      ++tally.unknown;
      return;
    }
    const auto rank = [&](SampleIndex index) {
      const bool fits = !label || dataset_.labels().empty() || dataset_.labels()[index] == *label;
      return std::pair(!fits, tally.times[index]);
    };
    count_sample(*std::ranges::min_element(found->second, {}, rank), label, tally);
  }

  void judge(std::uint64_t epoch, Tally& tally) {
    check_.epochs.push_back({.workers = workers_, .epoch = epoch, .batches = tally.batches, .samples = tally.samples});
    const std::size_t wanted = sampler_.samples_per_epoch();
    if (tally.samples != wanted) {
      fault(epoch, fmt::format("it delivers {}, but an epoch has {}", samples_text(tally.samples), wanted));
    }
    if (recognition_ == Recognition::kIndices || recognition_ == Recognition::kContents) judge_samples(epoch, tally);
    if (recognition_ == Recognition::kLabels) judge_labels(epoch, tally);
  }

  void judge_samples(std::uint64_t epoch, const Tally& tally) {
    std::vector<SampleIndex> missing;
    std::vector<SampleIndex> repeated;
    for (SampleIndex i = 0; i < tally.times.size(); ++i) {
      // With several ranks, each may choose its share.
      if (tally.times[i] == 0 && share_[i]) missing.push_back(i);
      if (tally.times[i] > 1) repeated.push_back(i);
    }
    // Samples left out on purpose are not missing.
    const std::size_t left_out =
        dataset_.info().samples - std::min(dataset_.info().samples, sampler_.samples_per_epoch());
    if (sampler_.options().drop_last && missing.size() <= left_out) missing.clear();
    if (!missing.empty()) {
      fault(epoch, fmt::format("{} never came: {}", samples_text(missing.size()), named(dataset_, missing)));
    }
    if (!repeated.empty()) {
      fault(epoch, fmt::format("{} came more than once: {}", samples_text(repeated.size()), named(dataset_, repeated)));
    }
    if (!tally.wrong_labels.empty()) {
      fault(epoch, fmt::format("{} came with the label of another sample: {}", samples_text(tally.wrong_labels.size()),
                               named(dataset_, tally.wrong_labels)));
    }
    if (tally.out_of_range > 0) {
      fault(epoch, fmt::format("{} came with an index beyond the dataset's {}", samples_text(tally.out_of_range),
                               tally.times.size()));
    }
    if (tally.unknown > 0) {
      fault(epoch, fmt::format("{} came that the dataset does not contain", samples_text(tally.unknown)));
    }
  }

  void judge_labels(std::uint64_t epoch, const Tally& tally) {
    if (sampler_.options().world_size > 1 || sampler_.options().drop_last) return;
    std::map<std::int32_t, std::size_t> wanted;
    for (const std::int32_t label : dataset_.labels()) ++wanted[label];
    std::set<std::int32_t> all;
    for (const auto& [label, times] : wanted) all.insert(label);
    for (const auto& [label, times] : tally.labels) all.insert(label);
    const auto times_in = [](const auto& counts, std::int32_t label) {
      const auto found = counts.find(label);
      return found == counts.end() ? 0 : found->second;
    };
    std::vector<std::string> wrong;
    for (const std::int32_t label : all) {
      const std::size_t came = times_in(tally.labels, label);
      const std::size_t there = times_in(wanted, label);
      if (came != there)
        wrong.push_back(fmt::format("label {} came {} times, but {} samples have it", label, came, there));
    }
    const std::size_t named = wrong.size() > kNamed + 1 ? kNamed : wrong.size();
    for (std::size_t i = 0; i < named; ++i) fault(epoch, wrong[i]);
    if (named < wrong.size()) {
      fault(epoch, fmt::format("{} more labels came too often or too rarely", wrong.size() - named));
    }
  }

  void compare_counts() {
    if (check_.epochs.empty()) return;
    const CheckedEpoch& first = check_.epochs.front();
    for (const CheckedEpoch& other : check_.epochs) {
      if (other.workers == first.workers || other.epoch != first.epoch) continue;
      if (other.samples == first.samples && other.batches == first.batches) continue;
      check_.faults.push_back(fmt::format("{} it delivers {} in {} batches, {} {} in {}", with_workers(first.workers),
                                          samples_text(first.samples), first.batches, with_workers(other.workers),
                                          samples_text(other.samples), other.batches));
    }
  }

  // "with 2 workers: "; empty for a loader without workers.
  std::string where() const {
    if (!kind_.has_workers) return "";
    return with_workers(workers_) + ": ";
  }

  void fault(std::uint64_t epoch, std::string_view what) {
    check_.faults.push_back(fmt::format("{}epoch {}: {}", where(), epoch, what));
  }

  const LoaderKind& kind_;
  const Assembler& assembler_;
  const Dataset& dataset_;
  const Sampler& sampler_;
  const LoaderCheckOptions& options_;
  std::vector<bool> share_;  // samples that must come: all, if there are no other ranks
  std::size_t workers_ = 0;
  std::vector<Tally> tallies_;  // by epoch
  bool failed_ = false;
  Recognition recognition_ = Recognition::kCounts;
  std::optional<SampleValues> values_;
  Signatures signatures_;
  LoaderCheck check_;
};

}  // namespace

LoaderCheck check_loader(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                         const LoaderCheckOptions& options) {
  return Checker(kind, assembler, sampler, options).run();
}

}  // namespace loadline
