#include <atomic>

#include "loaders/engines/engines.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// No thread of its own: next() assembles on the caller's.
class SerialFeed final : public Feed {
 public:
  SerialFeed(const Assembler& assembler, const Sampler& sampler, std::size_t slots, const StreamOptions& stream)
      : filler_(assembler.make_filler(sampler.batch_size(), Stores::kCached)),
        stream_(sampler, stream),
        pool_(slots, sampler.batch_size(), assembler.sample_bytes()) {}

  Batch next() override {
    if (closed_.load(std::memory_order_relaxed)) return {};
    Batch batch = pool_.try_acquire();
    if (!batch) throw Error("serial loader: the consumer holds more batches than it announced");
    if (!stream_.next(*batch)) return {};
    try {
      filler_->fill(*batch);
    } catch (...) {
      close();
      throw;
    }
    return batch;
  }

  void close() override { closed_.store(true, std::memory_order_relaxed); }

 private:
  std::unique_ptr<Filler> filler_;  // through the caches: the consumer is the same thread
  BatchStream stream_;
  BatchPool pool_;
  std::atomic<bool> closed_{false};
};

}  // namespace

std::unique_ptr<Feed> make_serial(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                  const LoaderOptions& options) {
  const std::size_t slots = slots_of(kind, options);
  return std::make_unique<SerialFeed>(assembler, sampler, slots, options.stream);
}

}  // namespace loadline
