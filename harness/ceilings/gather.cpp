// The work of a loader without the loader: threads that fill slots of their own, and one that reads a batch.
#include <utility>
#include <vector>

#include "harness/ceilings/fillers.h"
#include "harness/ceilings/kernels.h"
#include "loaders/batch_pool.h"

namespace loadline {
namespace {

class Gathering final : public CeilingKernel {
 public:
  Gathering(const CeilingSubject& subject, bool drain)
      : drain_(drain),
        fillers_(subject, subject.threads),
        pool_(subject.threads, subject.sampler.batch_size(), subject.assembler.sample_bytes()) {
    while (Batch slot = pool_.try_acquire()) slots_.push_back(std::move(slot));
  }

  std::vector<std::string_view> ways() const override { return fillers_.ways(); }

  std::optional<Pace> run(std::size_t way, const Stint& stint, const Clock& clock,
                          const std::stop_token& stop) override {
    const Work work = [this, way](std::size_t thread) {
      Slot& slot = *slots_[thread];
      const double samples = fillers_.fill(thread, way, slot);
      if (drain_) read_lines(slot.bytes());
      return samples;
    };
    return pace_of(slots_.size(), work, stint, clock, stop);
  }

 private:
  bool drain_;
  Fillers fillers_;
  BatchPool pool_;
  std::vector<Batch> slots_;  // one per thread
};

class Draining final : public CeilingKernel {
 public:
  explicit Draining(const CeilingSubject& subject)
      : pool_(1, subject.sampler.batch_size(), subject.assembler.sample_bytes()), batch_(pool_.try_acquire()) {
    Fillers(subject, 1).fill(0, 0, *batch_);
    samples_ = static_cast<double>(subject.sampler.batch_size());
  }

  std::optional<Pace> run(std::size_t /*way*/, const Stint& stint, const Clock& clock,
                          const std::stop_token& stop) override {
    const Work work = [this](std::size_t /*thread*/) {
      read_lines(batch_->bytes());
      return samples_;
    };
    return pace_of(1, work, stint, clock, stop);
  }

 private:
  BatchPool pool_;
  Batch batch_;
  double samples_;
};

}  // namespace

std::unique_ptr<CeilingKernel> make_gather(const CeilingSubject& subject) {
  return std::make_unique<Gathering>(subject, false);
}

std::unique_ptr<CeilingKernel> make_gather_drain(const CeilingSubject& subject) {
  return std::make_unique<Gathering>(subject, true);
}

std::unique_ptr<CeilingKernel> make_drain(const CeilingSubject& subject) {
  return std::make_unique<Draining>(subject);
}

}  // namespace loadline
