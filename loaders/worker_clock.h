// Where the time of a loader's threads goes, stage by stage.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace loadline {

// What a worker is doing. At any moment it is in one of these.
enum class WorkerStage : std::uint8_t {
  kIdle,         // nothing is left to do; of a loader on the consumer's thread: the consumer's own work
  kOrder,        // finds out which samples are next, waiting for the lock on that included; shuffles
  kSlotWait,     // waits for a slot that the consumer gives back
  kWindowWait,   // waits for a late read: batches behind it have all the memory that may be read or assembled ahead
  kOpen,         // opens a file, and closes it
  kRead,         // reads stored bytes; of mapped data only finds them: what they cost shows where they are touched
  kLibraryLock,  // waits for other threads to leave the HDF5 library
  kInflate,      // undoes the compression of a chunk
  kDecode,       // decodes a photograph
  kTransform,    // crops, converts, normalises and stores samples in the slot
  kHandOver,     // delivers the batch
  kNextCall,     // of a loader that is not ours: is in its next(), where it works or waits for workers of its own
};

inline constexpr std::size_t kWorkerStages = 12;

// "idle", "order", "slot wait", "window wait", "open", "read", "library lock", "inflate", "decode", "transform",
// "hand over", "next call". Each ends with a null byte.
std::string_view name(WorkerStage stage);
// None for other words.
std::optional<WorkerStage> worker_stage_named(std::string_view name);

// What one worker has spent, in total, from the making of its feed to a moment.
struct WorkerTimes {
  int thread = 0;        // the system's thread id; 0 until it has begun
  bool foreign = false;  // the loader is not ours: it is in its next() or idle, and more is not known
  std::array<std::chrono::nanoseconds, kWorkerStages> spent{};

  std::chrono::nanoseconds in(WorkerStage stage) const { return spent[static_cast<std::size_t>(stage)]; }
};

// A stay in a stage.
struct WorkerSpan {
  // Of a stay that belongs to no batch: a worker waits for its slot before it knows which batch will be in it.
  static constexpr std::uint64_t kNoBatch = std::numeric_limits<std::uint64_t>::max();

  WorkerStage stage = WorkerStage::kIdle;
  std::uint32_t reads_in_flight = 0;  // at its end: reads that the worker has asked for and not yet taken
  std::chrono::steady_clock::time_point begin;
  std::chrono::steady_clock::time_point end;
  std::uint64_t sequence = kNoBatch;
  std::uint64_t bytes = 0;  // that were read meanwhile, of kRead
};

// Tells a profiler on the calling thread what it does from here on. The names live as long as the program.
struct ProfilerHooks {
  void (*begin)(const char* name) = nullptr;  // null: there is no profiler
  void (*end)() = nullptr;
};

// The stays of one worker, in bounded memory. Written by that worker; anyone else may look once its feed is gone.
class WorkerLog {
 public:
  // Allocates and faults in room for `most` spans. The profiler, if any, gets each stay that is not idle as a range.
  explicit WorkerLog(std::size_t most, ProfilerHooks profiler = {}) : spans_(most), profiler_(profiler) {
    spans_.clear();
  }
  WorkerLog(WorkerLog&&) = default;
  WorkerLog& operator=(WorkerLog&&) = default;

  void add(const WorkerSpan& span) {
    if (spans_.size() < spans_.capacity()) {
      spans_.push_back(span);
    } else {
      ++lost_;
    }
  }
  // The worker goes from one stage to another.
  void change(WorkerStage left, WorkerStage entered) const {
    if (profiler_.begin == nullptr) return;
    if (left != WorkerStage::kIdle) profiler_.end();
    if (entered != WorkerStage::kIdle) profiler_.begin(name(entered).data());
  }
  std::span<const WorkerSpan> spans() const { return spans_; }
  std::uint64_t lost() const { return lost_; }  // for which there was no room

 private:
  std::vector<WorkerSpan> spans_;
  std::uint64_t lost_ = 0;
  ProfilerHooks profiler_;
};

// Adds up the time of one worker. It begins idle. One thread at a time changes stages, at some 30 ns a change; any
// thread may look.
class alignas(128) WorkerClock {
 public:
  // `log`, if any, gets every stay that ends; it must outlive the clock.
  explicit WorkerClock(WorkerLog* log = nullptr);
  WorkerClock(const WorkerClock&) = delete;
  WorkerClock& operator=(const WorkerClock&) = delete;

  void enter(WorkerStage stage);
  WorkerStage stage() const { return static_cast<WorkerStage>(stage_.load(std::memory_order_relaxed)); }
  // The batch that stays belong to from now on, the one in progress included.
  void begin_batch(std::uint64_t sequence) { sequence_ = sequence; }
  void end_batch() { sequence_ = WorkerSpan::kNoBatch; }
  // Counts to the stay in progress.
  void add_bytes(std::uint64_t bytes) { bytes_ += bytes; }
  // From now on, until it is set again.
  void set_reads_in_flight(std::size_t reads) { reads_in_flight_ = static_cast<std::uint32_t>(reads); }
  // The calling thread is the worker from now on.
  void belong_to_this_thread();

  // Up to this moment: the sum over all stages is the time since the clock was made, to the nanosecond. Any thread.
  WorkerTimes now() const;

  // The clock of the work that the calling thread does; null outside of a loader's.
  static WorkerClock* current() { return current_; }

 private:
  friend class WorkingOn;

  static constinit thread_local WorkerClock* current_;

  // A sequence lock: odd while the three below are being changed.
  std::atomic<std::uint64_t> version_{0};
  std::array<std::atomic<std::int64_t>, kWorkerStages> spent_{};  // ns, without the stay in progress
  std::atomic<std::int64_t> since_;                               // ns of the steady clock
  std::atomic<std::uint8_t> stage_{0};
  std::atomic<int> thread_{0};
  std::uint64_t sequence_ = WorkerSpan::kNoBatch;
  std::uint64_t bytes_ = 0;
  std::uint32_t reads_in_flight_ = 0;
  WorkerLog* log_;
};

// Of a loader that is not ours and whose next() the calling thread, its consumer's, calls.
WorkerTimes of_foreign_loader(const WorkerClock& clock);

// While it lives, `clock` is that of the calling thread's work.
class WorkingOn {
 public:
  explicit WorkingOn(WorkerClock& clock) : before_(WorkerClock::current_) { WorkerClock::current_ = &clock; }
  WorkingOn(const WorkingOn&) = delete;
  WorkingOn& operator=(const WorkingOn&) = delete;
  ~WorkingOn() { WorkerClock::current_ = before_; }

 private:
  WorkerClock* before_;
};

// While it lives, the calling thread's work is in `stage`; then in the one it was in before. Nothing outside a loader.
class InStage {
 public:
  explicit InStage(WorkerStage stage) : clock_(WorkerClock::current()) {
    if (clock_ == nullptr) return;
    before_ = clock_->stage();
    clock_->enter(stage);
  }
  InStage(const InStage&) = delete;
  InStage& operator=(const InStage&) = delete;
  ~InStage() {
    if (clock_ != nullptr) clock_->enter(before_);
  }

 private:
  WorkerClock* clock_;
  WorkerStage before_ = WorkerStage::kIdle;
};

// Bytes that the calling thread's work has read.
inline void count_read_bytes(std::uint64_t bytes) {
  if (WorkerClock* clock = WorkerClock::current()) clock->add_bytes(bytes);
}

// Reads that the calling thread's work has asked for and not yet taken.
inline void note_reads_in_flight(std::size_t reads) {
  if (WorkerClock* clock = WorkerClock::current()) clock->set_reads_in_flight(reads);
}

}  // namespace loadline
