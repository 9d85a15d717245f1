#include "loaders/datasets/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/strided.h"
#include "loaders/error.h"
#include "loaders/system/memory.h"

namespace loadline {
namespace {

// The copy and the mapped pages it is made from would take the memory twice; this much at a time does not matter.
constexpr std::size_t kBytesToForget = std::size_t{4} << 20;

// Samples that failed the checksum of their format when they were copied, and how.
using FailedChecks = std::map<SampleIndex, std::string>;

// Encoded samples back to back, each ending where the next begins.
class EncodedMemory final : public Dataset {
 public:
  EncodedMemory(DatasetInfo info, std::vector<std::int32_t> labels, NodeMemory samples, std::vector<std::size_t> ends,
                FailedChecks failed)
      : Dataset(std::move(info), std::move(labels)),
        memory_(std::move(samples)),
        ends_(std::move(ends)),
        failed_(std::move(failed)) {}

  std::unique_ptr<SampleReader> make_reader(std::size_t /*most*/) const override {
    return std::make_unique<Reader>(*this);
  }
  std::vector<std::span<const std::byte>> memory() const override { return memory_.all(); }

  std::string describe(SampleIndex index) const override {
    return info().files.size() == info().samples ? info().files[index].string() : Dataset::describe(index);
  }

 private:
  class Reader final : public SampleReader {
   public:
    explicit Reader(const EncodedMemory& copy) : copy_(copy) {}
    void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
      copy_.locate(indices, out);
    }
    void check(SampleIndex index) const override {
      if (const auto found = copy_.failed_.find(index); found != copy_.failed_.end()) throw Error(found->second);
    }

   private:
    const EncodedMemory& copy_;
  };

  void locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const {
    const std::span<const std::byte> all = memory_.bytes();
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::size_t begin = indices[i] == 0 ? 0 : ends_[indices[i] - 1];
      out[i] = all.subspan(begin, ends_[indices[i]] - begin);
    }
  }

  NodeMemory memory_;
  std::vector<std::size_t> ends_;
  FailedChecks failed_;  // the copy itself has no checksums
};

}  // namespace

NodeMemory copy_bytes(const Dataset& dataset, const MemoryPlace& place) {
  HugeMemory memory(dataset.info().all_bytes(), Faults::kNow, place.first());
  auto room = memory.bytes();
  std::size_t remembered = 0;
  dataset.visit([&](StoredSample block) {
    std::ranges::copy(block, room.begin());
    room = room.subspan(block.size());
    remembered += block.size();
    if (remembered >= kBytesToForget) {
      dataset.forget_pages();
      remembered = 0;
    }
    return true;
  });
  dataset.check_intact();
  return place.spread(std::move(memory));
}

std::unique_ptr<Dataset> copy_to_memory(const Dataset& dataset, std::size_t most_bytes, const MemoryPlace& place) {
  DatasetInfo info = dataset.info();
  dataset.forget_pages();  // pages that were read for the labels
  const bool all = info.all_bytes() <= most_bytes;
  if (!all && !info.encoded) info.samples = std::max<std::size_t>(most_bytes / info.sample_bytes(), 1);
  HugeMemory memory(all            ? info.all_bytes()
                    : info.encoded ? most_bytes
                                   : info.samples * info.sample_bytes(),
                    Faults::kNow, place.first());
  const auto room = memory.bytes();
  std::vector<std::size_t> ends;
  FailedChecks failed;
  const auto checker = info.encoded ? dataset.make_reader(1) : nullptr;
  std::size_t end = 0;
  std::size_t remembered = 0;
  dataset.visit([&](StoredSample sample) {
    if (sample.size() > room.size() - end) {
      if (all) throw Error(fmt::format("cannot read {}: it grew while it was copied", dataset.describe(0)));
      return false;
    }
    std::ranges::copy(sample, room.subspan(end).begin());
    try {
      if (checker) checker->check(static_cast<SampleIndex>(ends.size()));
    } catch (const Error& error) {
      failed.emplace(static_cast<SampleIndex>(ends.size()), error.what());
    }
    end += sample.size();
    ends.push_back(end);
    remembered += sample.size();
    if (remembered >= kBytesToForget) {
      dataset.forget_pages();
      remembered = 0;
    }
    return true;
  });
  if (ends.empty()) {
    throw Error(
        fmt::format("cannot copy {}: its first sample takes more than {} bytes", dataset.describe(0), most_bytes));
  }
  info.samples = ends.size();
  std::vector<std::int32_t> labels = dataset.checked_labels(info.samples);
  if (info.encoded) {
    return std::make_unique<EncodedMemory>(resident(std::move(info)), std::move(labels),
                                           place.spread(std::move(memory)), std::move(ends), std::move(failed));
  }
  return std::make_unique<StridedDataset>(std::move(info), std::move(labels), place.spread(std::move(memory)));
}

}  // namespace loadline
