// Datasets for tests of what stands above them: a small sound one, and decorators that fail, wait and tell.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <latch>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/memory.h"
#include "loaders/error.h"

namespace loadline::test {

// Shut until somebody opens it; then open for good.
class Gate {
 public:
  void open() {
    open_.store(true);
    open_.notify_all();
  }
  void wait() const { open_.wait(false); }

 private:
  std::atomic<bool> open_{false};
};

// Byte p of sample i is (31 * i + 7 * p) mod 251; its label is i mod 7.
inline std::unique_ptr<Dataset> patterned_dataset(std::size_t samples, const ImageShape& shape = {1, 4, 4}) {
  HugeMemory memory(samples * shape.elements());
  std::vector<std::int32_t> labels;
  std::byte* out = memory.bytes().data();
  for (std::size_t i = 0; i < samples; ++i) {
    labels.push_back(static_cast<std::int32_t>(i % 7));
    for (std::size_t p = 0; p < shape.elements(); ++p) *out++ = static_cast<std::byte>((31 * i + 7 * p) % 251);
  }
  DatasetInfo info{.format = "patterned", .samples = samples, .shape = shape, .classes = 7};
  return std::make_unique<MemoryDataset>(std::move(info), std::move(labels), std::move(memory));
}

// Passes everything on to the dataset it borrows, and lets its own kind act before and after each read of any thread.
class DecoratedDataset : public Dataset {
 public:
  explicit DecoratedDataset(const Dataset& inner) : Dataset(inner.info(), inner.labels().all()), inner_(inner) {}

  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override {
    return std::make_unique<Reader>(*this, most);
  }
  void check_intact() const override { inner_.check_intact(); }

 protected:
  virtual void before_reading(std::span<const SampleIndex> /*indices*/) const {}
  virtual void after_reading(std::span<const SampleIndex> /*indices*/) const {}

 private:
  class Reader final : public SampleReader {
   public:
    Reader(const DecoratedDataset& dataset, std::size_t most)
        : dataset_(dataset), inner_(dataset.inner_.make_reader(most)) {}
    void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
      dataset_.before_reading(indices);
      inner_->read(indices, out);
      dataset_.after_reading(indices);
    }

   private:
    const DecoratedDataset& dataset_;
    std::unique_ptr<SampleReader> inner_;
  };

  const Dataset& inner_;
};

inline bool contains(std::span<const SampleIndex> indices, SampleIndex sample) {
  return std::ranges::find(indices, sample) != indices.end();
}

// Throws whenever it is asked for one of its samples.
class FailingDataset final : public DecoratedDataset {
 public:
  FailingDataset(const Dataset& inner, SampleIndex sample) : DecoratedDataset(inner), sample_(sample) {}

  static std::string message(SampleIndex sample) {
    return "cannot read shard.bin: sample " + std::to_string(sample) + " is corrupt";
  }

 private:
  void before_reading(std::span<const SampleIndex> indices) const override {
    if (contains(indices, sample_)) throw Error(message(sample_));
  }

  const SampleIndex sample_;
};

// Its storage goes while one of its samples is read, as that of a mapped file does: noticed afterwards.
class VanishingDataset final : public DecoratedDataset {
 public:
  VanishingDataset(const Dataset& inner, SampleIndex sample) : DecoratedDataset(inner), sample_(sample) {}

  static constexpr const char* kMessage = "cannot read shard.bin: the page at byte 4096 is gone";

  void check_intact() const override {
    if (gone_) throw Error(kMessage);
  }

 private:
  void after_reading(std::span<const SampleIndex> indices) const override {
    if (contains(indices, sample_)) gone_ = true;
  }

  const SampleIndex sample_;
  mutable std::atomic<bool> gone_{false};
};

// Whoever asks for one of its samples waits until the gate is open.
class SlowDataset final : public DecoratedDataset {
 public:
  SlowDataset(const Dataset& inner, SampleIndex sample, const Gate& gate)
      : DecoratedDataset(inner), sample_(sample), gate_(gate) {}

 private:
  void before_reading(std::span<const SampleIndex> indices) const override {
    if (contains(indices, sample_)) gate_.wait();
  }

  const SampleIndex sample_;
  const Gate& gate_;
};

// Opens the gate when it is asked for one of its samples.
class TellingDataset final : public DecoratedDataset {
 public:
  TellingDataset(const Dataset& inner, SampleIndex sample, Gate& gate)
      : DecoratedDataset(inner), sample_(sample), gate_(gate) {}

 private:
  void before_reading(std::span<const SampleIndex> indices) const override {
    if (contains(indices, sample_)) gate_.open();
  }

  const SampleIndex sample_;
  Gate& gate_;
};

// The first `readers` reads begin only when all of them have come: as many threads have to be there.
class MeetingDataset final : public DecoratedDataset {
 public:
  MeetingDataset(const Dataset& inner, std::size_t readers)
      : DecoratedDataset(inner), readers_(readers), meeting_(static_cast<std::ptrdiff_t>(readers)) {}

 private:
  void before_reading(std::span<const SampleIndex> /*indices*/) const override {
    if (come_.fetch_add(1) < readers_) meeting_.arrive_and_wait();
  }

  const std::size_t readers_;
  mutable std::atomic<std::size_t> come_{0};
  mutable std::latch meeting_;
};

}  // namespace loadline::test
