// The contract that every loader keeps, and the table of loaders.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/batch.h"
#include "loaders/sampler.h"
#include "loaders/worker_clock.h"

namespace loadline {

// An element type of what external loaders deliver.
struct DeliveredType {
  std::string_view name;
  std::size_t bytes;
};

// Those that loadline knows, in the order of loadline/plugin.h.
inline constexpr std::array kDeliveredTypes{DeliveredType{"u8", 1},   DeliveredType{"i8", 1},  DeliveredType{"i16", 2},
                                            DeliveredType{"i32", 4},  DeliveredType{"i64", 8}, DeliveredType{"f16", 2},
                                            DeliveredType{"bf16", 2}, DeliveredType{"f32", 4}, DeliveredType{"f64", 8}};

// What the batches of an external loader contain.
struct DeliveredFormat {
  std::string dtype;               // "u8", "f32", "bf16", "i64", ..., perhaps with words: "u8 not in C order"
  std::vector<std::size_t> shape;  // of one sample, as laid out in memory
  bool labels = false;             // whether it reports the label of each sample
  bool indices = false;            // whether it reports which sample of the dataset each one is
  // Samples in its largest batch; only of a loader that does not use the run's batch size.
  std::optional<std::size_t> batch_size = {};

  bool operator==(const DeliveredFormat&) const = default;
};

// "u8[3x32x32]"; "u8[]" if a sample is a single value; "u8[3x32x32] not in C order".
std::string text_of(const DeliveredFormat& format);

// What a consumer requires of each batch, unless it accepts any.
struct BatchNeeds {
  std::string consumer;     // who requires it: "compute cnn"
  SampleFormat sample;      // samples without a target, other than tokens, need labels
  std::size_t classes = 0;  // labels are below it
};

// Throws Error naming loader and consumer if the loader does not deliver what the consumer needs.
void check_needs(std::string_view loader, const DeliveredFormat& delivered, const BatchNeeds& needs);
// The same for the labels of one batch.
void check_labels(std::string_view loader, std::span<const std::int32_t> labels, const BatchNeeds& needs);

// The passes over its data that a feed has ended.
struct Passes {
  std::uint64_t ended = 0;
  std::uint64_t batches = 0;  // of the last one
};

// Where a trial pulls its batches from. One thread, the consumer, pulls them and may keep some. A batch belongs to the
// consumer until it is destroyed, on any thread and in any order, also once the feed is closed; only then may the feed
// write to its memory again. The feed must outlive its batches.
class Feed {
 public:
  // Closes the feed, and waits until its workers have ended. No other thread may be calling the feed.
  virtual ~Feed() = default;

  // Waits for the next batch. Epochs follow one another without a mark: a batch's own `epoch` tells. Empty at the end
  // of the last epoch, and from then on; empty once closed, even if batches are ready. If a worker threw while it
  // assembled this batch, closes the feed and rethrows; in order, all earlier batches are delivered before that. The
  // consumer's thread, which keeps no more than LoaderOptions::held_batches other batches: with more, a call may throw
  // Error, or wait for ever.
  virtual Batch next() = 0;

  // Waits up to `limit` until next() would not block, for a consumer that has other things to check. Returns whether
  // it reached that; returns at once if batches are made on request. The consumer's thread.
  virtual bool wait(std::chrono::nanoseconds /*limit*/) { return true; }

  // How many batches are ready and not yet taken. nullopt if batches are made on request. The consumer's thread.
  virtual std::optional<std::size_t> ready() const { return std::nullopt; }

  // What an external loader delivers, once it has delivered a batch; null for built-in loaders. The consumer's
  // thread.
  virtual const DeliveredFormat* delivered() const { return nullptr; }

  // The time that each worker has spent so far, by stage; for a loader that works on the consumer's thread, that
  // thread's. Empty only if an external loader cannot tell. The consumer's thread.
  virtual std::vector<WorkerTimes> worker_times() const { return {}; }

  // Of a loader that begins each pass anew, so that its first batches keep the consumer waiting. All zeros if epochs
  // follow one another without a break. The consumer's thread.
  virtual Passes passes() const { return {}; }

  // Whether the loader is still finding out how it works fastest, so that its rate may change. Any thread.
  virtual bool settling() const { return false; }

  // The memory of each slot; empty if the feed does not own it, as with external loaders. Any thread.
  virtual std::vector<std::span<const std::byte>> slot_memory() const { return {}; }

  // Ends the feed: wakes a waiting next(), which returns empty, and stops each worker after the batch that it is
  // working on. Does not wait for them. Any thread; may be called more than once.
  virtual void close() = 0;
};

struct LoaderOptions {
  std::size_t workers = 1;           // threads that assemble; ignored by a loader that works on the consumer's thread
  std::size_t prefetch = 8;          // batches ready or in progress beyond those the workers hold
  std::optional<Stores> stores;      // how workers write; nullopt: whichever proves to be faster
  bool in_order = true;              // deliver by sequence number; otherwise as batches are completed
  std::size_t threads_in_force = 1;  // CPUs that the process may use, workers included
  std::vector<std::size_t> cpus;     // where the workers may run; empty: wherever the caller may
  // The same for each worker; empty: `cpus` for all. Built-in loaders apply it.
  std::vector<std::vector<std::size_t>> cpus_of_worker;
  std::vector<std::size_t> slot_nodes;  // NUMA nodes for the slots; empty: where they are first written
  // Memory that file contents may fill; nullopt: all of the machine's.
  std::optional<std::uint64_t> memory_bytes;
  std::size_t held_batches = 0;  // how many batches the consumer keeps beyond the one it is using
  StreamOptions stream;
  // One per worker, must outlive the feed; empty: no tracing. Built-in loaders log the stages order, read and transform
  // of each batch and, with workers, one hand over.
  std::span<WorkerLog> logs;
  std::filesystem::path data;       // for an external loader: the dataset's path, as the user gave it
  bool test_split = false;          // for an external loader: load the dataset's test split
  bool read_all = false;            // for an external loader: read all of a batch's memory, beyond its slot's too
  std::optional<BatchNeeds> needs;  // for an external loader; nullopt: the consumer takes batches of any format
};

// Where an external loader comes from; unknown fields are empty.
struct LoaderOrigin {
  std::string name;     // as the loader reports it
  std::string version;  // as the loader reports it
  std::string path;     // of the loader's file

  bool operator==(const LoaderOrigin&) const = default;
};

// Whether calls of a feed return.
enum class Hang : std::uint8_t {
  kNever,
  kUntilClosed,  // a call may block for ever, until close() is called
  kForEver,      // nothing ends it: make the call on a thread that can be abandoned
};

// A loader is only a schedule around Filler::fill() and a way to access the samples. Every row delivers the batches
// of the `serial` row bit for bit, at any number of workers, in the same order or, on request, as they are completed.
// While one batch is in progress, other workers can finish theirs, as far as slots last. For an external loader,
// loadline takes whatever it delivers.
struct LoaderKind {
  std::string name;  // for an external loader, the word that selected it
  std::string summary;
  bool has_workers = false;           // whether it uses LoaderOptions::workers
  std::optional<Access> access = {};  // how the dataset must be opened for it; nullopt: the format's default
  // The schedule behind make(). Several rows may share it: `kind` is the requested one.
  std::function<std::unique_ptr<Feed>(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                      const LoaderOptions& options)>
      engine = {};
  // With --read uring: one queue of reads for all workers, ahead of batches; false: one for each, within its batch.
  bool shares_requests = false;
  bool external = false;
  LoaderOrigin origin = {};     // of an external one
  bool may_do_without = false;  // for an external loader with workers: whether it also accepts 0 workers
  bool uses_prefetch = true;    // for one with workers: whether it uses LoaderOptions::prefetch
  bool uses_batch_size = true;  // for an external loader: whether its batches have the run's batch size
  Hang hang = Hang::kNever;     // for an external loader: whether its calls may hang; users of the feed apply this
                                // (run_guarded)

  // Allocates all slots, which are faulted in before they are first lent (BatchPool), and starts the workers, which
  // begin at once. next() allocates no more than Filler::fill() does. The borrowed assembler and sampler must outlive
  // the feed. Throws usage Error for options that cannot be met.
  std::unique_ptr<Feed> make(const Assembler& assembler, const Sampler& sampler, const LoaderOptions& options) const {
    return engine(*this, assembler, sampler, options);
  }
};

// The table of built-in loaders.
std::span<const LoaderKind> loaders();

// Finds a loader by name: a row of the table, an added loader, or one that an opener recognises, which is then opened
// and added. Throws usage Error listing the known names, and what the opener throws. Any thread; the reference stays
// valid.
const LoaderKind& loader_named(std::string_view name);

// The same without opening anything; null if the name is not known yet, as in a result from another machine.
const LoaderKind* known_loader(std::string_view name);

// Whether the loader is known and its row says so.
bool shares_requests(std::string_view name);

// Whether a word may name a loader outside the table: it contains '/' or ':', or ends in ".so" or ".py". Only
// loader_named() finds out whether such a loader exists.
bool may_name_external_loader(std::string_view word);

// Adds an external loader. It replaces an earlier one of the same name, to which references stay valid. Any thread.
const LoaderKind& add_loader(LoaderKind kind);

// Opens loaders named by words of its own form, such as "train.py:make_loader".
struct LoaderOpener {
  std::function<bool(std::string_view word)> recognises;
  std::function<LoaderKind(std::string_view word)> open;  // throws Error
};

// The new opener is asked before earlier ones. Any thread.
void add_loader_opener(LoaderOpener opener);

// How many slots a loader allocates for these options; for an external loader, how many batches it may hold at a
// time.
std::size_t slots_of(const LoaderKind& kind, const LoaderOptions& options);

inline constexpr std::size_t kMostWorkers = 4096;

}  // namespace loadline
