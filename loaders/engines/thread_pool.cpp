#include "loaders/engines/engines.h"
#include "loaders/engines/worker_feed.h"

namespace loadline {
namespace {

// Each worker makes one batch after another.
class ThreadPoolFeed final : public WorkerFeed {
 public:
  ThreadPoolFeed(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                 const LoaderOptions& options)
      : WorkerFeed(kind, assembler, sampler, options), threads_(start([this](Worker& worker) {
          while (make_batch(worker)) {
          }
        })) {}

  ~ThreadPoolFeed() override { close(); }

 private:
  std::vector<std::jthread> threads_;
};

}  // namespace

std::unique_ptr<Feed> make_thread_pool(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                       const LoaderOptions& options) {
  return std::make_unique<ThreadPoolFeed>(kind, assembler, sampler, options);
}

}  // namespace loadline
