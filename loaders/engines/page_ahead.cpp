#include "loaders/engines/page_ahead.h"

#include <algorithm>
#include <utility>

namespace loadline {
namespace {

// Around a place that a small sample is read from. What a request costs beside its bytes is small against reading as
// many, and a batch that is scattered over a large file still needs no more than some MiB.
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

// Asked for and not yet reached: enough for any device, and little enough to still be there when it is.
constexpr std::size_t kMostBytesAhead = std::size_t{128} << 20;

// Of the machine's memory: what is read around is kept until it is wanted.
constexpr std::size_t kPartOfMemory = 4;

// By then it is warm, or somebody else reads it.
constexpr std::size_t kBatchesWithoutReads = 64;

}  // namespace

std::unique_ptr<PageAhead> PageAhead::where_cold(const Assembler& assembler, const Sampler& sampler,
                                                 const StreamOptions& stream, std::size_t batches_ahead) {
  auto files = assembler.dataset().mapped_files();
  if (files.empty() || !some_pages_missing(files)) return nullptr;
  std::size_t bytes = 0;
  for (const MappedFile* file : files) bytes += file->bytes().size();
  const bool kept = bytes <= memory_of_machine_bytes() / kPartOfMemory;
  auto requests = std::make_unique<PageRequests>(std::move(files), kept ? kBlockBytes : 0);
  return std::unique_ptr<PageAhead>(new PageAhead(assembler, sampler, stream, batches_ahead, std::move(requests)));
}

PageAhead::PageAhead(const Assembler& assembler, const Sampler& sampler, const StreamOptions& stream,
                     std::size_t batches_ahead, std::unique_ptr<PageRequests> requests)
    : assembler_(assembler),
      batches_ahead_(batches_ahead),
      requests_(std::move(requests)),
      stream_(sampler, stream),
      indices_(sampler.batch_size()),
      bytes_(batches_ahead + 1) {
  plan_.indices = indices_;
}

void PageAhead::ask_until(std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  while (requests_ && may_ask(sequence)) ask_for_next();
}

// The batch itself always, and those behind it as far as memory goes.
bool PageAhead::may_ask(std::uint64_t sequence) const {
  if (next_ <= sequence) return true;
  if (next_ > sequence + batches_ahead_) return false;
  std::size_t ahead = 0;
  for (std::uint64_t i = sequence + 1; i < next_; ++i) ahead += bytes_[i % bytes_.size()];
  return ahead < kMostBytesAhead;
}

void PageAhead::ask_for_next() {
  const bool more = stream_.next(plan_);
  if (more) {
    places_.clear();
    assembler_.find_places(plan_, places_);
    for (const StoredSample& place : places_) requests_->want(place);
    const long before = device_blocks_read();
    bytes_[next_ % bytes_.size()] = requests_->ask();
    without_reads_ = device_blocks_read() > before ? 0 : without_reads_ + 1;
    ++next_;
    stream_.prepare_next();
  }
  if (more && !requests_->asked_for_all() && without_reads_ < kBatchesWithoutReads) return;
  requests_.reset();
  done_.store(true, std::memory_order_relaxed);
}

}  // namespace loadline
