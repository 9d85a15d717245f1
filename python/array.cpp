#include "python/array.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "loaders/error.h"
#include "python/leaves.h"

namespace loadline {
namespace {

namespace py = pybind11;

// The structures of DLPack 0.x, https://dmlc.github.io/dlpack: an interface by memory layout, which every library
// declares itself.
constexpr std::int32_t kDlCpu = 1;
enum DlCode : std::uint8_t { kDlInt = 0, kDlUInt = 1, kDlFloat = 2, kDlBFloat = 4 };

struct DlDevice {
  std::int32_t type;
  std::int32_t id;
};

struct DlType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct DlTensor {
  void* data;
  DlDevice device;
  std::int32_t dimensions;
  DlType type;
  std::int64_t* shape;
  std::int64_t* strides;  // null: C order
  std::uint64_t byte_offset;
};

struct DlManagedTensor {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManagedTensor*);
};

constexpr ElementType kUInt8{"uint8", "B", "|u1", kDlUInt, 1};
constexpr ElementType kFloat32{"float32", "f", "<f4", kDlFloat, 4};
constexpr ElementType kBFloat16{"bfloat16", nullptr, nullptr, kDlBFloat, 2};

// What a DLPack consumer borrows.
struct DlLoan {
  DlManagedTensor managed{};
  ArrayView view;
  std::shared_ptr<void> owner;
};

void end_loan(DlManagedTensor* managed) {
  delete static_cast<DlLoan*>(managed->context);
}

// For a capsule that nobody took: a consumer renames it.
void drop_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;
  auto* managed = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

py::object dlpack_of(ArrayView view, std::shared_ptr<void> owner) {
  auto loan = std::make_unique<DlLoan>();
  loan->view = std::move(view);
  loan->owner = std::move(owner);
  const ElementType& type = *loan->view.type;
  loan->managed.tensor = {.data = loan->view.data,
                          .device = {kDlCpu, 0},
                          .dimensions = static_cast<std::int32_t>(loan->view.shape.size()),
                          .type = {type.dlpack_code, static_cast<std::uint8_t>(8 * type.bytes), 1},
                          .shape = loan->view.shape.data(),
                          .strides = nullptr,
                          .byte_offset = 0};
  loan->managed.context = loan.get();
  loan->managed.deleter = end_loan;
  PyObject* capsule = PyCapsule_New(&loan->managed, "dltensor", drop_capsule);
  if (capsule == nullptr) throw py::error_already_set();
  loan.release();  // NOLINT(bugprone-unused-return-value): the capsule has it
  return py::reinterpret_steal<py::object>(capsule);
}

py::object numpy_of(const ArrayView& view, std::shared_ptr<void> owner) {
  if (view.type->type_string == nullptr) {
    throw Error(fmt::format("NumPy has no type {}: use torch tensors, or u8 or f32", view.type->name));
  }
  const py::capsule base(new std::shared_ptr<void>(std::move(owner)),
                         [](void* held) { delete static_cast<std::shared_ptr<void>*>(held); });
  return py::array(py::dtype(view.type->type_string), view.shape, view.data, base);
}

// Python's own view, from which the other protocols make theirs.
class Array {
 public:
  Array(ArrayView view, std::shared_ptr<void> owner)
      : view_(std::move(view)), owner_(std::move(owner)), strides_(view_.shape.size()) {
    auto step = static_cast<py::ssize_t>(view_.type->bytes);
    for (std::size_t i = strides_.size(); i > 0; --i) {
      strides_[i - 1] = step;
      step *= view_.shape[i - 1];
    }
  }

  const ArrayView& view() const { return view_; }
  const std::shared_ptr<void>& owner() const { return owner_; }
  py::ssize_t size_bytes() const {
    return std::accumulate(view_.shape.begin(), view_.shape.end(), static_cast<py::ssize_t>(view_.type->bytes),
                           std::multiplies<>());
  }
  py::tuple shape() const {
    py::tuple shape(view_.shape.size());
    for (std::size_t i = 0; i < view_.shape.size(); ++i) shape[i] = view_.shape[i];
    return shape;
  }

  void fill(Py_buffer& buffer, int flags) {
    buffer.buf = view_.data;
    buffer.len = size_bytes();
    buffer.readonly = 0;
    buffer.itemsize = static_cast<py::ssize_t>(view_.type->bytes);
    buffer.format = (flags & PyBUF_FORMAT) == 0 ? nullptr : const_cast<char*>(view_.type->format);
    buffer.ndim = static_cast<int>(view_.shape.size());
    buffer.shape = (flags & PyBUF_ND) == 0 ? nullptr : view_.shape.data();
    buffer.strides = (flags & PyBUF_STRIDES) != PyBUF_STRIDES ? nullptr : strides_.data();
    buffer.suboffsets = nullptr;
    buffer.internal = nullptr;
  }

 private:
  ArrayView view_;
  std::shared_ptr<void> owner_;
  std::vector<py::ssize_t> strides_;
};

// The interpreter's own signature: errors are Python exceptions, not C++ ones.
extern "C" int get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
  auto& array = py::handle(self).cast<Array&>();
  const char* refusal = nullptr;
  if (array.view().type->format == nullptr) {
    refusal = "the buffer protocol has no bfloat16: use torch.from_dlpack()";
  } else if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && array.view().shape.size() > 1) {
    refusal = "the array is in C order";
  }
  if (refusal != nullptr) {
    PyErr_SetString(PyExc_BufferError, refusal);
    buffer->obj = nullptr;
    return -1;
  }
  array.fill(*buffer, flags);
  buffer->obj = py::handle(self).inc_ref().ptr();
  return 0;
}

py::dict array_interface(const Array& array) {
  if (array.view().type->type_string == nullptr) throw py::attribute_error("NumPy has no type bfloat16");
  using namespace pybind11::literals;
  return py::dict("version"_a = 3, "typestr"_a = array.view().type->type_string, "shape"_a = array.shape(),
                  "strides"_a = py::none(),
                  "data"_a = py::make_tuple(reinterpret_cast<std::uintptr_t>(array.view().data), false));
}

// Of anything with arrays in it.
std::size_t touch_leaves(const py::object& batch) {
  std::size_t bytes = 0;
  for (const py::object& leaf : leaves_of(batch)) {
    if (py::isinstance<Array>(leaf)) {
      const auto& array = leaf.cast<const Array&>();
      bytes += read_lines_of({.bytes = {array.view().data, static_cast<std::size_t>(array.size_bytes())}});
    } else if (const auto memory = memory_of(leaf)) {
      bytes += read_lines_of(*memory);
    }
  }
  return bytes;
}

}  // namespace

const ElementType kInt32{"int32", "i", "<i4", kDlInt, 4};
const ElementType kUInt32{"uint32", "I", "<u4", kDlUInt, 4};

const ElementType& element_type(DType dtype) {
  switch (dtype) {
    case DType::kU8: return kUInt8;
    case DType::kBF16: return kBFloat16;
    case DType::kI32: return kInt32;
    case DType::kF32: break;
  }
  return kFloat32;
}

py::object to_python(ArrayView view, std::shared_ptr<void> owner, ArrayForm form) {
  switch (form) {
    case ArrayForm::kNumpy: return numpy_of(view, std::move(owner));
    case ArrayForm::kDlpack: return dlpack_of(std::move(view), std::move(owner));
    case ArrayForm::kArray: break;
  }
  return py::cast(std::make_unique<Array>(std::move(view), std::move(owner)));
}

void bind_array(py::module_& module) {
  py::enum_<ArrayForm>(module, "ArrayForm")
      .value("array", ArrayForm::kArray)
      .value("numpy", ArrayForm::kNumpy)
      .value("dlpack", ArrayForm::kDlpack);

  py::class_<Array>(
      module, "Array", py::custom_type_setup([](PyHeapTypeObject* type) {
        type->as_buffer.bf_getbuffer = get_buffer;
        type->ht_type.tp_as_buffer = &type->as_buffer;
      }),
      "Values of a batch in the loader's memory: C order, on the CPU, writable. numpy.asarray(), torch.from_dlpack() "
      "and memoryview() take it without a copy; the memory goes back to the loader when the last of them is dropped.")
      .def_property_readonly("shape", &Array::shape)
      .def_property_readonly("ndim", [](const Array& array) { return array.view().shape.size(); })
      .def_property_readonly("dtype", [](const Array& array) { return array.view().type->name; })
      .def_property_readonly("itemsize", [](const Array& array) { return array.view().type->bytes; })
      .def_property_readonly("nbytes", &Array::size_bytes)
      .def_property_readonly("__array_interface__", array_interface)
      .def("__array__", [](const Array& array, const py::args&,
                           const py::kwargs&) { return to_python(array.view(), array.owner(), ArrayForm::kNumpy); })
      .def("__dlpack__", [](const Array& array,
                            const py::kwargs&) { return to_python(array.view(), array.owner(), ArrayForm::kDlpack); })
      .def("__dlpack_device__", [](const Array&) { return py::make_tuple(kDlCpu, 0); })
      .def("__len__", [](const Array& array) { return array.view().shape.front(); })
      .def("__repr__", [](const Array& array) {
        return fmt::format("<loadline.Array {} {}>", array.view().type->name,
                           py::str(array.shape()).cast<std::string>());
      });

  module.def("touch", touch_leaves, py::arg("batch"),
             "Reads one byte of every 64-byte line of all arrays, tensors and buffers in host memory in `batch`, "
             "however nested, as IO trials of the tool do; returns their bytes.");
}

}  // namespace loadline
