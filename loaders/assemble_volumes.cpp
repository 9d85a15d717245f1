#include <array>

#include "loaders/assemble.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

class VolumeFiller final : public Filler {
 public:
  VolumeFiller(const VolumeDataset& dataset, const VolumeTransform& transform)
      : dataset_(dataset),
        transform_(transform),
        reader_(dataset.make_crop_reader(transform.edge())),
        scratch_(transform.scratch_values()) {}

  void fill(Slot& slot, Stores requested) override {
    const Stores stores = transform_.effective(requested);
    const VolumeShape& shape = *dataset_.info().volume;
    slot.target_bytes = shape.target_channels * transform_.channel_bytes();
    const std::size_t input_bytes = slot.sample_bytes - slot.target_bytes;
    std::byte* input = slot.data.data();
    std::byte* target = input + slot.count * input_bytes;
    for (std::size_t i = 0; i < slot.count; ++i, input += input_bytes, target += slot.target_bytes) {
      const CropPlace place = transform_.place(shape.edge, slot.epoch, slot.indices[i]);
      // Both fields have the same place and rotation, so that their values still correspond.
      transform_.apply(read(Field::kInput, place.origin), place.rotation, scratch_, input, stores);
      transform_.apply(read(Field::kTarget, place.origin), place.rotation, scratch_, target, stores);
      slot.labels[i] = 0;
    }
    slot.stores = stores;
    if (stores == Stores::kStreaming) transform_.kernels().fence();
    dataset_.check_intact();
  }

  // Requests a layer of the crop including the rows between its own: they are on the same pages or on the next ones.
  void ask_for(std::uint64_t epoch, std::span<const SampleIndex> indices, PagesAhead& pages) override {
    const VolumeShape& shape = *dataset_.info().volume;
    const std::size_t edge = transform_.edge();
    for (const SampleIndex index : indices) {
      const CropPlace place = transform_.place(shape.edge, epoch, index);
      for (const Field field : kFields) {
        const VolumeView crop = reader_->read(field, place.origin);
        const std::size_t layer = (edge - 1) * shape.edge + edge;
        for (std::size_t channel = 0; channel < crop.channels; ++channel) {
          for (std::size_t x = 0; x < edge; ++x) {
            const float* first = crop.first + channel * static_cast<std::size_t>(crop.channel_stride) +
                                 x * static_cast<std::size_t>(crop.stride[0]);
            pages.ask(std::as_bytes(std::span(first, layer)));
          }
        }
      }
    }
  }

 private:
  VolumeView read(Field field, const std::array<std::size_t, 3>& origin) {
    const InStage reading(WorkerStage::kRead);
    const VolumeShape& shape = *dataset_.info().volume;
    const std::size_t edge = transform_.edge();
    const std::size_t channels = field == Field::kInput ? shape.input_channels : shape.target_channels;
    if (is_copied(dataset_.info().access)) count_read_bytes(channels * edge * edge * edge * sizeof(float));
    return reader_->read(field, origin);
  }

  const VolumeDataset& dataset_;
  const VolumeTransform& transform_;
  std::unique_ptr<CropReader> reader_;
  std::vector<float> scratch_;
};

}  // namespace

VolumeAssembler::VolumeAssembler(const VolumeDataset& dataset, const VolumeTransform& transform)
    : Assembler(dataset), volume_(dataset), transform_(transform) {}

SampleFormat VolumeAssembler::sample_format() const {
  const VolumeShape& volume = *volume_.info().volume;
  const std::size_t edge = transform_.edge();
  return {.dtype = transform_.dtype(),
          .input = {volume.input_channels, edge, edge, edge},
          .target = {volume.target_channels, edge, edge, edge}};
}

std::unique_ptr<Filler> VolumeAssembler::make_filler(std::size_t /*batch_size*/) const {
  return std::make_unique<VolumeFiller>(volume_, transform_);
}

}  // namespace loadline
