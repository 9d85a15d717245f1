#include "loaders/loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <ranges>
#include <utility>

#include "loaders/engines/engines.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/plugin/plugin.h"

namespace loadline {
namespace {

// Loaders that were added while the program runs, and the openers of others.
class Additions {
 public:
  const LoaderKind* find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto latest_first = std::views::reverse(kinds_);
    const auto found = std::ranges::find(latest_first, name, &LoaderKind::name);
    return found == latest_first.end() ? nullptr : &*found;
  }

  const LoaderKind& add(LoaderKind kind) {
    kind.external = true;
    const std::lock_guard lock(mutex_);
    return kinds_.emplace_back(std::move(kind));
  }

  void add_opener(LoaderOpener opener) {
    const std::lock_guard lock(mutex_);
    openers_.push_back(std::move(opener));
  }

  // In the order in which to ask them.
  std::vector<LoaderOpener> openers() const {
    const std::lock_guard lock(mutex_);
    return {openers_.rbegin(), openers_.rend()};
  }

 private:
  mutable std::mutex mutex_;
  std::deque<LoaderKind> kinds_;  // never shrinks: references to them are handed out
  std::vector<LoaderOpener> openers_;
};

Additions& additions() {
  static Additions all;
  return all;
}

}  // namespace

std::span<const LoaderKind> loaders() {
  static const std::array kLoaders{
      LoaderKind{.name = "serial",
                 .summary = "runs on the consumer's own thread without reading ahead: the reference",
                 .engine = make_serial},
      LoaderKind{.name = "thread-pool",
                 .summary = "worker threads that fill slots ahead of the consumer",
                 .has_workers = true,
                 .engine = make_thread_pool},
      LoaderKind{.name = "flow-graph",
                 .summary = "a oneTBB graph; with --read uring it reads files ahead of batches and decodes them as "
                            "they arrive: for storage with high latency",
                 .has_workers = true,
                 .engine = make_flow_graph,
                 .shares_requests = true},
      LoaderKind{.name = "hdf5-mmap",
                 .summary = "thread-pool on an HDF5 file mapped into memory, bypassing the library",
                 .has_workers = true,
                 .access = Access::kMapped,
                 .engine = make_thread_pool},
      LoaderKind{.name = "hdf5",
                 .summary = "thread-pool through the HDF5 library, one read per sample, as training scripts do",
                 .has_workers = true,
                 .access = Access::kRows,
                 .engine = make_thread_pool},
      LoaderKind{.name = "hdf5-block",
                 .summary = "thread-pool through the HDF5 library, one read per run of neighbouring samples in a batch",
                 .has_workers = true,
                 .access = Access::kBlocks,
                 .engine = make_thread_pool},
      LoaderKind{.name = "hdf5-chunk",
                 .summary = "thread-pool on whole chunks of an HDF5 file, inflated by the workers",
                 .has_workers = true,
                 .access = Access::kChunks,
                 .engine = make_thread_pool},
  };
  return kLoaders;
}

const LoaderKind* known_loader(std::string_view name) {
  const auto row = std::ranges::find(loaders(), name, &LoaderKind::name);
  return row != loaders().end() ? &*row : additions().find(name);
}

bool shares_requests(std::string_view name) {
  const LoaderKind* known = known_loader(name);
  return known != nullptr && known->shares_requests;
}

const LoaderKind& loader_named(std::string_view name) {
  if (const LoaderKind* known = known_loader(name)) return *known;
  for (const LoaderOpener& opener : additions().openers()) {
    if (opener.recognises(name)) return add_loader(opener.open(name));
  }
  if (names_plugin(name)) return add_loader(open_plugin(name));
  if (name.substr(0, name.find(':')).ends_with(".py")) {
    throw usage_error(
        fmt::format("loader {}: a loader in Python needs `python3 -m loadline` instead of `loadline`", name));
  }
  throw unknown_name("loader", name, names_of(loaders()));
}

bool may_name_external_loader(std::string_view word) {
  return word.find_first_of("/:") != std::string_view::npos || word.ends_with(".so") || word.ends_with(".py");
}

const LoaderKind& add_loader(LoaderKind kind) {
  return additions().add(std::move(kind));
}

void add_loader_opener(LoaderOpener opener) {
  additions().add_opener(std::move(opener));
}

std::size_t slots_of(const LoaderKind& kind, const LoaderOptions& options) {
  const std::size_t consumer = 1 + options.held_batches;
  return kind.has_workers ? options.workers + options.prefetch + consumer : consumer;
}

std::string text_of(const DeliveredFormat& format) {
  const std::string_view dtype = format.dtype;
  const std::string_view type = dtype.substr(0, dtype.find(' '));
  return fmt::format("{}[{}]{}", type, fmt::join(format.shape, "x"), dtype.substr(type.size()));
}

void check_needs(std::string_view loader, const DeliveredFormat& delivered, const BatchNeeds& needs) {
  const SampleFormat& sample = needs.sample;
  DeliveredFormat wanted{.dtype = std::string(name(sample.dtype)), .shape = sample.input};
  if (sample.layout == Layout::kNHWC && !wanted.shape.empty()) {
    std::ranges::rotate(wanted.shape, wanted.shape.begin() + 1);
  }
  if (!sample.target.empty()) {
    throw Error(
        fmt::format("loader {}: {} needs pairs of {} and a target, which only the loaders in `loadline list` deliver",
                    loader, needs.consumer, text_of(wanted)));
  }
  if (delivered.dtype != wanted.dtype || delivered.shape != wanted.shape) {
    throw Error(fmt::format("loader {}: it delivers samples of {}, and {} needs {}", loader, text_of(delivered),
                            needs.consumer, text_of(wanted)));
  }
  // Tokens contain their own targets.
  if (sample.dtype != DType::kI32 && !delivered.labels) {
    throw Error(fmt::format("loader {}: it delivers no labels, and {} needs them", loader, needs.consumer));
  }
}

void check_labels(std::string_view loader, std::span<const std::int32_t> labels, const BatchNeeds& needs) {
  const auto wrong = std::ranges::find_if(
      labels, [&](std::int32_t label) { return label < 0 || static_cast<std::size_t>(label) >= needs.classes; });
  if (wrong == labels.end()) return;
  throw Error(fmt::format("loader {}: label {} is out of range, {} needs 0 to {}", loader, *wrong, needs.consumer,
                          needs.classes - 1));
}

}  // namespace loadline
