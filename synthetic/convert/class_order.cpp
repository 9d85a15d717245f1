#include "synthetic/convert/class_order.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace loadline {
namespace {

class SortedDataset final : public Dataset {
 public:
  // `order`: the sample of `from` in each place.
  SortedDataset(const Dataset& from, std::vector<std::int32_t> labels, std::vector<SampleIndex> order)
      : Dataset(from.info(), std::move(labels)), from_(from), order_(std::move(order)) {}

  std::string describe(SampleIndex index) const override { return from_.describe(order_[index]); }
  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override {
    return std::make_unique<Reader>(*this, most);
  }
  void check_intact() const override { from_.check_intact(); }

 private:
  class Reader final : public SampleReader {
   public:
    Reader(const SortedDataset& dataset, std::size_t most)
        : dataset_(dataset), inner_(dataset.from_.make_reader(most)), places_(most) {}

    void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
      const auto places = std::span(places_).first(indices.size());
      std::ranges::transform(indices, places.begin(), [&](SampleIndex index) { return dataset_.order_[index]; });
      inner_->read(places, out);
    }
    void check(SampleIndex index) const override { inner_->check(dataset_.order_[index]); }
    void check_intact() const override { inner_->check_intact(); }

   private:
    const SortedDataset& dataset_;
    std::unique_ptr<SampleReader> inner_;
    std::vector<SampleIndex> places_;
  };

  const Dataset& from_;
  std::vector<SampleIndex> order_;
};

}  // namespace

std::unique_ptr<Dataset> in_order_of_classes(const Dataset& from) {
  const auto labels = from.checked_labels(from.info().samples);
  std::vector<SampleIndex> order(labels.size());
  std::iota(order.begin(), order.end(), SampleIndex{0});
  std::ranges::stable_sort(order, {}, [&](SampleIndex index) { return labels[index]; });
  std::vector<std::int32_t> sorted(labels.size());
  std::ranges::transform(order, sorted.begin(), [&](SampleIndex index) { return labels[index]; });
  return std::make_unique<SortedDataset>(from, std::move(sorted), std::move(order));
}

}  // namespace loadline
