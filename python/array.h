// Hands our memory to Python's array libraries without a copy, by the buffer protocol, DLPack and
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

// An element type under the names that other libraries use.
struct ElementType {
  std::string_view name;     // "float32", as NumPy and PyTorch say
  const char* format;        // in the buffer protocol; null: it has no such type
  const char* type_string;   // in __array_interface__; null: NumPy has no such type
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

// What Python gets for a view: an object of class Array, a NumPy array, or a DLPack capsule for
// torch.utils.dlpack.from_dlpack().
enum class ArrayForm : std::uint8_t { kArray, kNumpy, kDlpack };

// Call it with the GIL. `owner` lives until Python has dropped the array and everything made from it, on any thread,
// with or without the GIL. Throws Error if the form does not have the element type.
pybind11::object to_python(ArrayView view, std::shared_ptr<void> owner, ArrayForm form);

void bind_array(pybind11::module_& module);

}  // namespace loadline
