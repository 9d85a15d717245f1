// Memory of ours as Python's array libraries take it, without a copy: the buffer protocol, DLPack and
// __array_interface__.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/tensor.h"

namespace loadline {

// An element type under the names that others have for it.
struct ElementType {
  std::string_view name;     // "float32", as NumPy and PyTorch say
  const char* format;        // of the buffer protocol; null: it has none
  const char* type_string;   // of __array_interface__; null: NumPy has no such type
  std::uint8_t dlpack_code;  // DLDataTypeCode
  std::size_t bytes;
};

const ElementType& element_type(DType dtype);
extern const ElementType kInt32;
extern const ElementType kUInt32;

// Values in C order that another object owns.
struct ArrayView {
  const ElementType* type = nullptr;
  std::byte* data = nullptr;
  std::vector<pybind11::ssize_t> shape;
};

// As what a view is given to Python: an object of class Array, an array of NumPy, or a capsule of DLPack, which
// torch.utils.dlpack.from_dlpack() takes.
enum class ArrayForm : std::uint8_t { kArray, kNumpy, kDlpack };

// `owner` lives until Python has dropped the array and all that was made of it, on whatever thread that is; the GIL may
// be held or not. Throws Error where the form has no such element type. With the GIL.
pybind11::object to_python(ArrayView view, std::shared_ptr<void> owner, ArrayForm form);

void bind_array(pybind11::module_& module);

}  // namespace loadline
