#include "python/batch_arrays.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace loadline {
namespace {

namespace py = pybind11;

std::vector<py::ssize_t> shape_of(std::size_t count, const std::vector<std::size_t>& sample, Layout layout) {
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(count)};
  for (const std::size_t length : sample) shape.push_back(static_cast<py::ssize_t>(length));
  if (layout == Layout::kNHWC && sample.size() == 3) std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return shape;
}

}  // namespace

py::tuple batch_arrays(const Slot& slot, const SampleFormat& format, const std::shared_ptr<void>& owner, ArrayForm form,
                       bool with_indices) {
  const auto give = [&](const ElementType& type, const void* data, std::vector<py::ssize_t> shape) {
    auto* bytes = const_cast<std::byte*>(static_cast<const std::byte*>(data));
    return to_python({.type = &type, .data = bytes, .shape = std::move(shape)}, owner, form);
  };
  const auto count = static_cast<py::ssize_t>(slot.count);
  const ElementType& type = element_type(format.dtype);
  py::object inputs = give(type, slot.inputs().data(), shape_of(slot.count, format.input, format.layout));
  py::object targets = format.target.empty()
                           ? give(kInt32, slot.labels.data(), {count})
                           : give(type, slot.targets().data(), shape_of(slot.count, format.target, format.layout));
  if (!with_indices) return py::make_tuple(std::move(inputs), std::move(targets));
  const ElementType& index_type = form == ArrayForm::kDlpack ? kInt32 : kUInt32;  // PyTorch has none without a sign
  return py::make_tuple(std::move(inputs), std::move(targets), give(index_type, slot.indices.data(), {count}));
}

}  // namespace loadline
