#include "loaders/storage/chunk_cache.h"

namespace loadline {

ChunkCache::ChunkCache(std::size_t chunks, std::size_t chunk_bytes, std::size_t kept)
    : chunk_bytes_(chunk_bytes),
      entry_of_chunk_(memory_bytes(chunks, sizeof(std::uint32_t)), Faults::kLater),
      memory_(memory_bytes(kept, chunk_bytes), Faults::kLater),
      entries_(kept) {
  unused_.reserve(kept);
  for (std::size_t i = kept; i > 0; --i) unused_.push_back(static_cast<std::uint32_t>(i - 1));
}

ChunkCache::Hold::~Hold() {
  if (cache_ != nullptr && entry_ != kNone) cache_->release(entry_);
}

std::span<std::byte> ChunkCache::Hold::bytes() const {
  return cache_->memory_.bytes().subspan(entry_ * cache_->chunk_bytes_, cache_->chunk_bytes_);
}

void ChunkCache::Hold::filled() {
  state_ = State::kReady;
  bool anyone = false;
  {
    const std::lock_guard lock(cache_->mutex_);
    cache_->entries_[entry_].filled = true;
    anyone = cache_->waiting_ > 0;
  }
  if (anyone) cache_->changed_.notify_all();
}

ChunkCache::Hold ChunkCache::find(std::size_t chunk) {
  const std::lock_guard lock(mutex_);
  auto hold = look_up(chunk);
  return hold ? std::move(*hold) : Hold(this, kNone, State::kBusy);
}

ChunkCache::Hold ChunkCache::wait_for(std::size_t chunk) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (auto hold = look_up(chunk)) return std::move(*hold);
    ++waiting_;
    changed_.wait(lock);
    --waiting_;
  }
}

void ChunkCache::forget() {
  const std::lock_guard lock(mutex_);
  while (first_ != kNone) {
    const std::uint32_t entry = first_;
    take_out(entry);
    drop(entries_[entry]);
    unused_.push_back(entry);
  }
}

std::optional<ChunkCache::Hold> ChunkCache::look_up(std::size_t chunk) {
  if (const std::uint32_t known = entry_of(chunk); known != 0) {
    Entry& entry = entries_[known - 1];
    if (!entry.filled) return std::nullopt;
    if (entry.holds++ == 0) take_out(known - 1);
    return Hold(this, known - 1, State::kReady);
  }
  const std::uint32_t free = free_entry();
  if (free == kNone) return Hold(this, kNone, State::kFull);
  entries_[free] = {.chunk = chunk, .holds = 1};
  entry_of(chunk) = free + 1;
  return Hold(this, free, State::kToFill);
}

std::uint32_t ChunkCache::free_entry() {
  if (!unused_.empty()) {
    const std::uint32_t entry = unused_.back();
    unused_.pop_back();
    return entry;
  }
  const std::uint32_t entry = first_;
  if (entry == kNone) return kNone;
  take_out(entry);
  drop(entries_[entry]);
  return entry;
}

void ChunkCache::put_last(std::uint32_t entry) {
  entries_[entry].before = last_;
  entries_[entry].after = kNone;
  (last_ == kNone ? first_ : entries_[last_].after) = entry;
  last_ = entry;
}

void ChunkCache::take_out(std::uint32_t entry) {
  const auto [before, after] = std::pair(entries_[entry].before, entries_[entry].after);
  (before == kNone ? first_ : entries_[before].after) = after;
  (after == kNone ? last_ : entries_[after].before) = before;
}

void ChunkCache::drop(Entry& entry) {
  entry_of(entry.chunk) = 0;
  entry.filled = false;
}

void ChunkCache::release(std::uint32_t index) {
  bool given_up = false;
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[index];
    if (--entry.holds > 0) return;
    if (entry.filled) {
      put_last(index);
    } else {
      drop(entry);
      unused_.push_back(index);
      given_up = waiting_ > 0;
    }
  }
  if (given_up) changed_.notify_all();
}

std::uint32_t& ChunkCache::entry_of(std::size_t chunk) {
  return reinterpret_cast<std::uint32_t*>(entry_of_chunk_.bytes().data())[chunk];
}

}  // namespace loadline
