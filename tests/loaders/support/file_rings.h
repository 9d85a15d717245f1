// A ring that stands in for the system: it runs each step at once, reports it when polled, and fails where a test says
// so.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "loaders/storage/file_ring.h"

namespace loadline::test {

// What the system behind a ScriptedRing does. The test owns it, and reads it when the queue is gone.
struct RingScript {
  std::deque<int> submit_results;  // of the next calls; 0: accepts everything, above 0: accepts as many steps
  std::deque<int> wait_results;    // of the next calls; 0: reports a step
  std::size_t most_read_bytes = std::numeric_limits<std::size_t>::max();  // per read
  bool latest_first = false;                                              // reports the latest step first
  bool opens_aside = false;  // like FileOpening::kAside: reports the opening of a file only if it failed
  bool closes_late = false;  // reports the closing of files only to those who wait

  std::size_t outstanding = 0;      // steps accepted and not reported
  std::size_t waits = 0;            // calls
  bool waited_for_nothing = false;  // the system would have let the caller wait forever
};

class ScriptedRing final : public FileRing {
 public:
  ScriptedRing(RingScript& script, std::size_t places) : script_(script), most_steps_(places * kFileSteps) {}

  bool prepare(std::size_t place, const std::string& path, std::span<std::byte> out) override {
    if (prepared_.size() + kFileSteps > most_steps_) return false;
    for (const FileStep step : {FileStep::kOpen, FileStep::kRead, FileStep::kClose}) {
      prepared_.push_back({place, step, &path, out});
    }
    return true;
  }

  int submit() override {
    const int said = next(script_.submit_results);
    if (said < 0) return said;
    const std::size_t taken = said == 0 ? prepared_.size() : static_cast<std::size_t>(said);
    for (std::size_t i = 0; i < taken; ++i) run(prepared_[i]);
    prepared_.erase(prepared_.begin(), prepared_.begin() + static_cast<std::ptrdiff_t>(taken));
    return static_cast<int>(taken);
  }

  int wait(FileStepDone& done) override {
    ++script_.waits;
    if (const int said = next(script_.wait_results); said < 0) return said;
    report_closed();
    if (poll(done) == 0) return 0;
    script_.waited_for_nothing = true;
    return -EDEADLK;
  }

  int wait_for_any(std::chrono::nanoseconds /*limit*/) override {
    ++script_.waits;
    if (const int said = next(script_.wait_results); said < 0) return said;
    report_closed();
    return done_.empty() ? -ETIME : 0;
  }

  int poll(FileStepDone& done) override {
    if (done_.empty()) return -EAGAIN;
    const auto told = script_.latest_first ? done_.end() - 1 : done_.begin();
    done = *told;
    done_.erase(told);
    --script_.outstanding;
    return 0;
  }

 private:
  struct Prepared {
    std::size_t place;
    FileStep step;
    const std::string* path;
    std::span<std::byte> out;
  };

  static int next(std::deque<int>& results) {
    if (results.empty()) return 0;
    const int result = results.front();
    results.pop_front();
    return result;
  }

  void report_closed() {
    for (; !closed_.empty(); closed_.pop_front()) done_.push_back(closed_.front());
  }

  void run(const Prepared& prepared) {
    int result = 0;
    switch (prepared.step) {
      case FileStep::kOpen:
        descriptor_ = ::open(prepared.path->c_str(), O_RDONLY | O_CLOEXEC);
        result = descriptor_ < 0 ? -errno : 0;
        break;
      case FileStep::kRead:
        result = descriptor_ < 0 ? -ECANCELED
                                 : static_cast<int>(::read(descriptor_, prepared.out.data(),
                                                           std::min(prepared.out.size(), script_.most_read_bytes)));
        if (result == -1) result = -errno;
        break;
      case FileStep::kClose: result = descriptor_ < 0 ? -ECANCELED : ::close(descriptor_); break;
    }
    const bool opening = prepared.step == FileStep::kOpen;
    if (script_.opens_aside && (opening ? result >= 0 : descriptor_ < 0)) return;
    const bool is_late = script_.closes_late && prepared.step == FileStep::kClose;
    (is_late ? closed_ : done_).push_back({.place = prepared.place, .step = prepared.step, .result = result});
    ++script_.outstanding;
  }

  RingScript& script_;
  std::size_t most_steps_;
  std::vector<Prepared> prepared_;
  std::deque<FileStepDone> done_;
  std::deque<FileStepDone> closed_;  // to be reported late
  int descriptor_ = -1;
};

}  // namespace loadline::test
