// The contract every loader keeps, and the table of loaders.
#pragma once

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

// What the batches of an external loader are.
struct DeliveredFormat {
  std::string dtype;               // "u8", "f32", "bf16", "i64", ...
  std::vector<std::size_t> shape;  // of one sample, as it lies in memory
  bool labels = false;             // it tells the label of each sample
  bool indices = false;            // it tells which sample of the dataset each one is

  bool operator==(const DeliveredFormat&) const = default;
};

// "u8[3x32x32]"; "u8[]" of single values.
std::string text_of(const DeliveredFormat& format);

// What a consumer that does not take any batch wants of each.
struct BatchNeeds {
  std::string consumer;     // that wants it: "compute cnn"
  SampleFormat sample;      // without a target, and not of tokens: with labels
  std::size_t classes = 0;  // labels are below it
};

// Throws Error naming loader and consumer where the one does not deliver what the other needs.
void check_needs(std::string_view loader, const DeliveredFormat& delivered, const BatchNeeds& needs);
// The same for the labels of one batch.
void check_labels(std::string_view loader, std::span<const std::int32_t> labels, const BatchNeeds& needs);

// Where a trial pulls its batches from.
class Feed {
 public:
  virtual ~Feed() = default;

  // Waits for the next batch. Empty at the end of the last epoch, and once closed. Rethrows what a worker threw while
  // it assembled this batch, after which the feed is closed. One consumer thread. The feed must outlive its batches.
  virtual Batch next() = 0;

  // Waits until next() need not wait, for `limit` at the most: for a consumer that has to look up now and then. Returns
  // whether it came to that; at once where batches are made as they are asked for. The consumer's thread.
  virtual bool wait(std::chrono::nanoseconds /*limit*/) { return true; }

  // How many batches are ready and were not taken yet. Absent where batches are made as they are asked for. The
  // consumer's thread.
  virtual std::optional<std::size_t> ready() const { return std::nullopt; }

  // What an external loader delivers, once it has delivered a batch; null of the others. The consumer's thread.
  virtual const DeliveredFormat* delivered() const { return nullptr; }

  // What each of its workers has spent so far, by stage; a loader that works on the consumer's thread has that one.
  // Empty where the loader cannot tell. The consumer's thread.
  virtual std::vector<WorkerTimes> worker_times() const { return {}; }

  // The memory of each of its slots; empty where that is not its own, as of an external loader. Any thread.
  virtual std::vector<std::span<const std::byte>> slot_memory() const { return {}; }

  // Ends the feed: wakes a waiting next(), stops the workers after the batch in hand. Any thread, more than once.
  virtual void close() = 0;
};

struct LoaderOptions {
  std::size_t workers = 1;           // threads that assemble; a loader that works on the consumer's thread has none
  std::size_t prefetch = 8;          // batches ready or in the making beyond those the workers hold
  std::optional<Stores> stores;      // of workers; nullopt: what each learns to be faster
  bool in_order = true;              // by sequence number; otherwise as they are completed
  std::size_t threads_in_force = 1;  // CPUs that the process may use, for itself and its workers
  std::vector<std::size_t> cpus;     // that the workers may run on; empty: wherever the caller may
  // The same for each worker; empty: `cpus` for all. Built-in loaders apply it.
  std::vector<std::vector<std::size_t>> cpus_of_worker;
  std::vector<std::size_t> slot_nodes;  // NUMA nodes that slots should lie on; empty: where they are first written
  // That what is read of files may fill; nullopt: all of the machine.
  std::optional<std::uint64_t> memory_bytes;
  std::size_t held_batches = 0;  // how many batches the consumer keeps beyond the one it looks at
  StreamOptions stream;
  std::span<WorkerLog> logs;        // one per worker, which outlive the feed; empty: no tracing
  std::filesystem::path data;       // for an external loader: the dataset, as it was named
  bool test_split = false;          // for an external loader: the dataset's test samples are wanted
  bool read_all = false;            // external loaders: read all memory of a batch beyond its slot's
  std::optional<BatchNeeds> needs;  // for an external loader; nullopt: the consumer takes batches of any format
};

// Where an external loader comes from; empty where that is not known.
struct LoaderOrigin {
  std::string name;     // that it gives itself
  std::string version;  // of its own
  std::string path;     // of the file it is in

  bool operator==(const LoaderOrigin&) const = default;
};

// Whether calls of a feed return.
enum class Hang : std::uint8_t {
  kNever,
  kUntilClosed,  // one may wait for ever, until close() is called
  kForEver,      // nothing ends it: the thread that makes the call has to be one that can be left behind
};

// A loader is a schedule around Filler::fill() and a way to get at the samples, and nothing else: every row delivers
// the batches of the `serial` row bit for bit, at any number of workers, in the same order or, if asked, as they are
// completed. An external one comes from outside: loadline takes what it delivers.
struct LoaderKind {
  std::string name;  // of an external one the word that it was asked for by
  std::string summary;
  bool has_workers = false;           // whether LoaderOptions::workers and prefetch mean anything to it
  std::optional<Access> access = {};  // how the dataset must be opened for it; nullopt: as its format does by itself
  // The schedule behind make(), which several rows may share: `kind` is the one that was asked for.
  std::function<std::unique_ptr<Feed>(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                      const LoaderOptions& options)>
      engine = {};
  bool external = false;
  LoaderOrigin origin = {};     // of an external one
  bool may_do_without = false;  // of an external one with workers: it takes 0 of them too
  Hang hang = Hang::kNever;  // external loaders: what to do if a call hangs; applied by users of the feed (run_guarded)

  // Allocates all slots, each of which is faulted in before it is lent for the first time (BatchPool), and starts the
  // workers, which begin at once. next() allocates nothing beyond what filling a slot does (Filler::fill()). The
  // borrowed assembler and sampler must outlive the feed. Throws usage Error for options that cannot be met.
  std::unique_ptr<Feed> make(const Assembler& assembler, const Sampler& sampler, const LoaderOptions& options) const {
    return engine(*this, assembler, sampler, options);
  }
};

// The table: all that are built in.
std::span<const LoaderKind> loaders();

// By name: a row of the table, one that was added, or one that an opener knows, which it then opens and which is added.
// Throws usage Error naming the known ones, and what the opener throws. Any thread; the reference stays valid.
const LoaderKind& loader_named(std::string_view name);

// The same without opening anything; null where it is not known by now, as in a result from elsewhere.
const LoaderKind* known_loader(std::string_view name);

// Whether a word may name a loader that is not in the table: it has a '/' or a ':', or ends in ".so". What it names, if
// anything, is for loader_named() to say.
bool may_name_external_loader(std::string_view word);

// Adds a loader, which is external. A later one of the same name takes the place of an earlier one, to which references
// stay valid. Any thread.
const LoaderKind& add_loader(LoaderKind kind);

// Opens loaders by words of a form of its own, such as "train.py:make_loader".
struct LoaderOpener {
  std::function<bool(std::string_view word)> recognises;
  std::function<LoaderKind(std::string_view word)> open;  // throws Error
};

// Asked before those that are there already. Any thread.
void add_loader_opener(LoaderOpener opener);

// Slots that a loader allocates for these options; of an external one, how many batches it may have made at a time.
std::size_t slots_of(const LoaderKind& kind, const LoaderOptions& options);

inline constexpr std::size_t kMostWorkers = 4096;

}  // namespace loadline
