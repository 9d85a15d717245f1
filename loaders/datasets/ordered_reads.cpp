#include "loaders/datasets/ordered_reads.h"

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <semaphore>
#include <utility>

#include "loaders/system/parallel.h"

namespace loadline {
namespace {

class OrderedReads {
 public:
  OrderedReads(const Dataset& dataset, std::size_t count, const std::function<SampleIndex(std::size_t)>& index_of,
               const std::function<bool(std::size_t, StoredSample)>& visit)
      : dataset_(dataset), count_(count), index_of_(index_of), visit_(visit) {}

  bool run() {
    turn_of(0).release();
    in_parallel(count_, kOrderedReads, [this](std::size_t worker, std::size_t number) { work(worker, number); });
    return !ended_;
  }

 private:
  // More than there are threads, so that no two numbers in flight share one.
  using TurnSemaphores = std::array<std::binary_semaphore, 2 * kOrderedReads>;

  std::binary_semaphore& turn_of(std::size_t number) { return (*turns_)[number % turns_->size()]; }

  void work(std::size_t worker, std::size_t number) {
    std::unique_ptr<SampleReader>& reader = readers_[worker];
    std::exception_ptr failure;
    StoredSample sample;
    // After the end, a thread reads nothing but passes the turn on to those that wait.
    if (!ended_) {
      try {
        if (!reader) reader = dataset_.make_reader(1);
        sample = read(*reader, index_of_(number));
        touch(sample);
      } catch (...) {
        failure = std::current_exception();
      }
    }
    turn_of(number).acquire();
    try {
      if (!ended_) hand_over(number, sample, failure, reader.get());
    } catch (...) {
      ended_ = true;
      turn_of(number + 1).release();  // or those that wait would wait forever
      throw;
    }
    turn_of(number + 1).release();
  }

  static StoredSample read(SampleReader& reader, SampleIndex index) {
    StoredSample sample;
    reader.announce({&index, 1});
    reader.read({&index, 1}, {&sample, 1});
    return sample;
  }

  // So that threads wait for mapped pages here, concurrently, and not in turn.
  static void touch(StoredSample sample) {
    constexpr std::size_t kPageBytes = 4096;
    for (std::size_t at = 0; at < sample.size(); at += kPageBytes) {
      static_cast<void>(*static_cast<const volatile std::byte*>(sample.data() + at));
    }
  }

  void hand_over(std::size_t number, StoredSample sample, const std::exception_ptr& failure,
                 const SampleReader* reader) {
    if (failure) std::rethrow_exception(failure);
    if (!visit_(number, sample)) ended_ = true;
    reader->check_intact();
  }

  const Dataset& dataset_;
  const std::size_t count_;
  const std::function<SampleIndex(std::size_t)>& index_of_;
  const std::function<bool(std::size_t, StoredSample)>& visit_;
  std::unique_ptr<TurnSemaphores> turns_ = make_turns(std::make_index_sequence<2 * kOrderedReads>());
  std::array<std::unique_ptr<SampleReader>, kOrderedReads> readers_;  // one per worker
  std::atomic<bool> ended_ = false;                                   // written by the thread that has the turn

  template <std::size_t... kNumbers>
  static std::unique_ptr<TurnSemaphores> make_turns(std::index_sequence<kNumbers...>) {
    return std::unique_ptr<TurnSemaphores>(
        new TurnSemaphores{std::binary_semaphore((static_cast<void>(kNumbers), 0))...});
  }
};

}  // namespace

bool read_in_order(const Dataset& dataset, std::size_t count, const std::function<SampleIndex(std::size_t)>& index_of,
                   const std::function<bool(std::size_t, StoredSample)>& visit) {
  if (count == 0) return true;
  return OrderedReads(dataset, count, index_of, visit).run();
}

}  // namespace loadline
