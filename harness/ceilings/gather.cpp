// The work of a loader without the loader: threads that fill slots of their own.
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

  std::optional<Pace> run(std::size_t way, const Durations& durations, const Clock& clock,
                          const std::stop_token& stop) override {
    const Work work = [this, way](std::size_t thread) {
      Slot& slot = *slots_[thread];
      const double samples = fillers_.fill(thread, way, slot);
      if (drain_) read_lines(slot.bytes());
      return samples;
    };
    return pace_of(slots_.size(), work, durations, clock, stop);
  }

 private:
  bool drain_;
  Fillers fillers_;
  BatchPool pool_;
  std::vector<Batch> slots_;  // one per thread
};

}  // namespace

std::unique_ptr<CeilingKernel> make_gather(const CeilingSubject& subject) {
  return std::make_unique<Gathering>(subject, false);
}

std::unique_ptr<CeilingKernel> make_gather_drain(const CeilingSubject& subject) {
  return std::make_unique<Gathering>(subject, true);
}

}  // namespace loadline
