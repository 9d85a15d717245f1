// Measures where a loader's threads spend their time, stage by stage.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace loadline {

// What a worker is doing. It is in exactly one of these at any moment.
enum class WorkerStage : std::uint8_t {
  kIdle,         // has nothing left to do; in a loader on the consumer's thread: the consumer's own work
  kOrder,        // finds out which samples are next, including the wait for that lock; shuffles
  kSlotWait,     // waits for the consumer to return a slot
  kWindowWait,   // waits for a late read: the batches after it hold all the memory for reading and assembling ahead
  kOpen,         // opens or closes a file
  kRead,         // reads stored bytes; only locates mapped ones, whose cost shows where they are touched
  kLibraryLock,  // waits for other threads to leave the HDF5 library
  kInflate,      // undoes the compression of a chunk
  kDecode,       // decodes a photograph
  kTokenise,     // turns text into tokens, after extracting it from JSON if need be
  kTransform,    // crops, converts, normalises and stores samples in the slot
  kHandOver,     // delivers the batch
  kNextCall,     // is in an external loader's next(), which works or waits for its own workers
};

inline constexpr std::size_t kWorkerStages = 13;

// "idle", "order", "slot wait", "window wait", "open", "read", "library lock", "inflate", "decode", "tokenise",
// "transform", "hand over", "next call". Each ends with a null byte.
std::string_view name(WorkerStage stage);

// The time one worker has spent in total, from the creation of its feed to one moment.
struct WorkerTimes {
  int thread = 0;        // the system's thread id; 0 until the thread has begun
  bool foreign = false;  // an external loader: only its next() and idle are known
  std::array<std::chrono::nanoseconds, kWorkerStages> spent{};

  std::chrono::nanoseconds in(WorkerStage stage) const { return spent[static_cast<std::size_t>(stage)]; }
};

// One uninterrupted stay in a stage.
struct WorkerSpan {
  // For a stay that belongs to no batch: a worker waits for its slot before it knows which batch will fill it.
  static constexpr std::uint64_t kNoBatch = std::numeric_limits<std::uint64_t>::max();

  WorkerStage stage = WorkerStage::kIdle;
  std::uint32_t reads_in_flight = 0;  // at its end: reads that the worker has requested and not yet taken
  std::chrono::steady_clock::time_point begin;
  std::chrono::steady_clock::time_point end;
  std::uint64_t sequence = kNoBatch;
  std::uint64_t bytes = 0;  // for kRead: bytes read meanwhile
};

// Tell a profiler what the calling thread does from now on. The names live as long as the program.
struct ProfilerHooks {
  void (*begin)(const char* name) = nullptr;  // null: there is no profiler
  void (*end)() = nullptr;
};

// The stays of one worker, in bounded memory. Only that worker writes; other threads may read once its feed is gone.
class WorkerLog {
 public:
  // Allocates and faults in room for `most` spans. The profiler, if any, gets each non-idle stay as a range.
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
  // The worker changes from one stage to another.
  void change(WorkerStage left, WorkerStage entered) const {
    if (profiler_.begin == nullptr) return;
    if (left != WorkerStage::kIdle) profiler_.end();
    if (entered != WorkerStage::kIdle) profiler_.begin(name(entered).data());
  }
  std::span<const WorkerSpan> spans() const { return spans_; }
  std::uint64_t lost() const { return lost_; }  // spans that did not fit

 private:
  std::vector<WorkerSpan> spans_;
  std::uint64_t lost_ = 0;
  ProfilerHooks profiler_;
};

// Adds up the time of one worker, which begins idle. One thread at a time changes stages, at some 30 ns per change;
// any thread may read.
class alignas(128) WorkerClock {
 public:
  // `log`, if any, gets every finished stay; it must outlive the clock.
  explicit WorkerClock(WorkerLog* log = nullptr);
  WorkerClock(const WorkerClock&) = delete;
  WorkerClock& operator=(const WorkerClock&) = delete;

  void enter(WorkerStage stage);
  WorkerStage stage() const { return static_cast<WorkerStage>(stage_.load(std::memory_order_relaxed)); }
  // Assigns stays to this batch from now on, including the one in progress.
  void begin_batch(std::uint64_t sequence) { sequence_ = sequence; }
  void end_batch() { sequence_ = WorkerSpan::kNoBatch; }
  // Adds to the stay in progress.
  void add_bytes(std::uint64_t bytes) { bytes_ += bytes; }
  // Holds until it is set again.
  void set_reads_in_flight(std::size_t reads) { reads_in_flight_ = static_cast<std::uint32_t>(reads); }
  // Makes the calling thread the worker from now on.
  void belong_to_this_thread();

  // The times up to this moment; their sum over all stages is the clock's age, to the nanosecond. Any thread.
  WorkerTimes now() const;

  // The clock of the calling thread's work; null outside a loader.
  static WorkerClock* current() { return current_; }

 private:
  friend class WorkingOn;

  static constinit thread_local WorkerClock* current_;

  // A sequence lock: odd while the three members below are being changed.
  std::atomic<std::uint64_t> version_{0};
  std::array<std::atomic<std::int64_t>, kWorkerStages> spent_{};  // ns, not counting the stay in progress
  std::atomic<std::int64_t> since_;                               // ns of the steady clock
  std::atomic<std::uint8_t> stage_{0};
  std::atomic<int> thread_{0};
  std::uint64_t sequence_ = WorkerSpan::kNoBatch;
  std::uint64_t bytes_ = 0;
  std::uint32_t reads_in_flight_ = 0;
  WorkerLog* log_;
};

// The times of an external loader whose next() is called by the calling thread, its consumer's.
WorkerTimes of_foreign_loader(const WorkerClock& clock);

// While it lives, `clock` measures the calling thread's work.
class WorkingOn {
 public:
  explicit WorkingOn(WorkerClock& clock) : before_(WorkerClock::current_) { WorkerClock::current_ = &clock; }
  WorkingOn(const WorkingOn&) = delete;
  WorkingOn& operator=(const WorkingOn&) = delete;
  ~WorkingOn() { WorkerClock::current_ = before_; }

 private:
  WorkerClock* before_;
};

// While it lives, the calling thread is in `stage`; afterwards in the one before. Does nothing outside a loader.
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

// Counts bytes that the calling thread has read.
inline void count_read_bytes(std::uint64_t bytes) {
  if (WorkerClock* clock = WorkerClock::current()) clock->add_bytes(bytes);
}

// Notes how many reads the calling thread has requested and not yet taken.
inline void note_reads_in_flight(std::size_t reads) {
  if (WorkerClock* clock = WorkerClock::current()) clock->set_reads_in_flight(reads);
}

}  // namespace loadline
