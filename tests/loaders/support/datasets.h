// Datasets for tests of the code above them: a small sound one, and decorators that fail, wait and notify.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "loaders/datasets/strided.h"
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
  bool is_open() const { return open_.load(); }

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
  return std::make_unique<StridedDataset>(std::move(info), std::move(labels), std::move(memory));
}

// The same images in memory, with channels last.
inline std::unique_ptr<Dataset> channels_last(const Dataset& planes) {
  DatasetInfo info = planes.info();
  const ImageShape shape = info.shape;
  info.channels_last = true;
  HugeMemory memory(info.samples * info.sample_bytes());
  std::byte* out = memory.bytes().data();
  planes.visit([&](StoredSample sample) {
    for (std::size_t p = 0; p < shape.pixels(); ++p) {
      for (std::size_t c = 0; c < shape.channels; ++c) *out++ = sample[c * shape.pixels() + p];
    }
    return true;
  });
  return std::make_unique<StridedDataset>(std::move(info), planes.labels().all(), std::move(memory));
}

// Forwards everything to the dataset that it borrows. Subclasses may act before and after each read of any thread.
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

// Its labels are read where they are stored, one byte each in `file`, so nothing has checked them.
class StoredLabelsDataset final : public Dataset {
 public:
  StoredLabelsDataset(const Dataset& inner, const std::shared_ptr<const MappedFile>& file)
      : Dataset(inner.info(), Labels({{0, file->bytes().data()}}, {}, inner.info().samples, {file})), inner_(inner) {}

  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override { return inner_.make_reader(most); }
  std::string describe(SampleIndex index) const override { return inner_.describe(index); }

 private:
  const Dataset& inner_;
};

// Throws on each read of `sample`.
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

// Loses its storage while `sample` is read, and notices it only afterwards, as a mapped file does.
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

// Reads of `sample` wait until the gate is open.
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

// Opens the gate when `sample` is read.
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

// The first `readers` reads wait for each other, so that as many threads must read at the same time.
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

// How the samples of an ArrivingDataset arrive.
struct ArrivalScript {
  std::size_t requests = 8;  // requests in flight at a time
  std::size_t window = 32;   // samples requested and not given back
  bool latest_first = true;
  std::optional<SampleIndex> late = {};  // arrives when `gate` is open
  const Gate* gate = nullptr;
  std::optional<std::size_t> last_answer = {};  // storage answers this many requests, and then no more
  // Storage has room for one more request than it answers at a time, and ends those it has answered only when it is
  // waited for with nothing else to do.
  bool ends_late = false;
  mutable std::atomic<std::size_t> asked{0};
};

// Accepts requests side by side. Samples arrive as the script says, one for each call of arrived().
class ArrivingDataset final : public DecoratedDataset {
 public:
  ArrivingDataset(const Dataset& inner, const ArrivalScript& script) : DecoratedDataset(inner), script_(script) {}

  static constexpr const char* kSilence = "cannot wait for storage: Input/output error";

  std::unique_ptr<SampleArrivals> make_arrivals() const override { return std::make_unique<Arrivals>(*this); }

 private:
  class Arrivals final : public SampleArrivals {
   public:
    explicit Arrivals(const ArrivingDataset& dataset) : script_(dataset.script_) {
      for (std::size_t i = 0; i < script_.window; ++i) {
        places_.push_back({.reader = dataset.make_reader(1)});
        free_.push_back(i);
      }
      pending_.reserve(script_.window);
    }

    bool ask(SampleIndex index, std::size_t ticket) override {
      full_ = free_.empty();
      if (full_ || pending_.size() == script_.requests || pending_.size() + ending_ > script_.requests) return false;
      places_[free_.back()].index = index;
      places_[free_.back()].ticket = ticket;
      pending_.push_back(free_.back());
      free_.pop_back();
      ++script_.asked;
      return true;
    }
    std::optional<Arrival> arrived() override {
      if (std::exchange(waited_, false) && pending_.empty()) ending_ = 0;
      if (script_.last_answer && answers_ >= *script_.last_answer) return std::nullopt;
      for (std::size_t i = 0; i < pending_.size(); ++i) {
        const std::size_t at = script_.latest_first ? pending_.size() - 1 - i : i;
        const std::size_t place = pending_[at];
        if (script_.late == places_[place].index && !script_.gate->is_open()) continue;
        pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(at));
        ++answers_;
        if (script_.ends_late) ++ending_;
        return Arrival{.ticket = places_[place].ticket, .place = place};
      }
      return std::nullopt;
    }
    void wait(std::chrono::nanoseconds /*limit*/) override {
      if (script_.last_answer && answers_ >= *script_.last_answer) throw Error(kSilence);
      waited_ = true;
      std::this_thread::yield();
    }
    StoredSample stored(std::size_t place) override {
      StoredSample sample;
      places_[place].reader->read({&places_[place].index, 1}, {&sample, 1});
      return sample;
    }
    void give_back(std::size_t place) override { free_.push_back(place); }
    std::size_t in_flight() const override { return pending_.size(); }
    bool window_full() const override { return full_; }
    bool busy() const override { return !pending_.empty() || ending_ > 0; }

   private:
    struct Place {
      std::unique_ptr<SampleReader> reader;
      SampleIndex index = 0;
      std::size_t ticket = 0;
    };

    const ArrivalScript& script_;
    std::vector<Place> places_;
    std::vector<std::size_t> free_;
    std::vector<std::size_t> pending_;
    std::size_t answers_ = 0;
    std::size_t ending_ = 0;  // answered requests that have not ended
    bool waited_ = false;
    bool full_ = false;
  };

  const ArrivalScript& script_;
};

}  // namespace loadline::test
