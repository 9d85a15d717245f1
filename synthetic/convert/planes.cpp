// Images with channels last, as writers want them.
#include "loaders/datasets/planes.h"

#include <memory>
#include <utility>
#include <vector>

#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

class PlanarDataset final : public Dataset {
 public:
  PlanarDataset(DatasetInfo info, const Dataset& from)
      : Dataset(std::move(info), from.checked_labels(from.info().samples)), from_(from) {}

  std::string describe(SampleIndex index) const override { return from_.describe(index); }
  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override {
    return std::make_unique<Reader>(*this, most);
  }
  void check_intact() const override { from_.check_intact(); }

 private:
  class Reader final : public SampleReader {
   public:
    Reader(const PlanarDataset& dataset, std::size_t most)
        : dataset_(dataset), inner_(dataset.from_.make_reader(most)), planes_(most * dataset.info().sample_bytes()) {}

    void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
      inner_->read(indices, out);
      const std::size_t bytes = dataset_.info().sample_bytes();
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto place = std::span(planes_).subspan(i * bytes, bytes);
        to_planes(out[i], dataset_.info().shape, place);
        out[i] = place;
      }
    }
    void check(SampleIndex index) const override { inner_->check(index); }
    void check_intact() const override { inner_->check_intact(); }

   private:
    const PlanarDataset& dataset_;
    std::unique_ptr<SampleReader> inner_;
    std::vector<std::byte> planes_;
  };

  const Dataset& from_;
};

}  // namespace

std::unique_ptr<Dataset> as_planes(const Dataset& from) {
  DatasetInfo info = from.info();
  info.channels_last = false;
  return std::make_unique<PlanarDataset>(std::move(info), from);
}

}  // namespace loadline
