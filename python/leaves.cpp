#include "python/leaves.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "python/batches.h"
#include "synthetic/compute/drain.h"

namespace loadline {
namespace {

namespace py = pybind11;

constexpr int kMostDepth = 8;

// The type for a format of the buffer protocol, as in Python's struct.
std::string name_of(std::string_view format, std::size_t item_bytes) {
  if (!format.empty() && std::string_view("@=<").find(format.front()) != std::string_view::npos)
    format.remove_prefix(1);
  if (format.size() > 1) return std::string(format);
  const char code = format.empty() ? 'B' : format.front();
  const std::string bits = std::to_string(8 * item_bytes);
  if (std::string_view("bhilqn").find(code) != std::string_view::npos) return "i" + bits;
  if (std::string_view("BHILQN").find(code) != std::string_view::npos) return "u" + bits;
  if (std::string_view("efdg").find(code) != std::string_view::npos) return "f" + bits;
  return code == '?' ? "bool" : std::string(format);
}

// "torch.float32" is "f32".
std::string short_name(std::string text) {
  if (const auto dot = text.rfind('.'); dot != std::string::npos) text.erase(0, dot + 1);
  constexpr std::pair<std::string_view, std::string_view> kWords[]{
      {"uint", "u"}, {"int", "i"}, {"bfloat", "bf"}, {"float", "f"}};
  for (const auto& [long_word, word] : kWords) {
    if (text.starts_with(long_word)) return std::string(word) + text.substr(long_word.size());
  }
  return text;
}

bool is_in_order(const std::vector<std::size_t>& shape, const std::vector<std::ptrdiff_t>& strides) {
  std::ptrdiff_t step = 1;
  for (std::size_t i = shape.size(); i > 0; --i) {
    if (shape[i - 1] != 1 && strides[i - 1] != step) return false;
    step *= static_cast<std::ptrdiff_t>(shape[i - 1]);
  }
  return true;
}

// From the lowest value to the highest; strides in values.
std::span<std::byte> reach(std::byte* first, std::size_t item_bytes, const std::vector<std::size_t>& shape,
                           const std::vector<std::ptrdiff_t>& strides) {
  std::ptrdiff_t low = 0;
  std::ptrdiff_t high = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return {};
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(shape[i] - 1) * strides[i];
    (last < 0 ? low : high) += last;
  }
  const auto bytes = static_cast<std::ptrdiff_t>(item_bytes);
  return {first + low * bytes, static_cast<std::size_t>((high - low) * bytes)};
}

std::optional<Memory> memory_of_buffer(py::handle object) {
  Py_buffer buffer{};
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const auto item = static_cast<std::size_t>(std::max<py::ssize_t>(buffer.itemsize, 1));
  Memory memory{.dtype = name_of(buffer.format == nullptr ? "" : buffer.format, item)};
  std::vector<std::ptrdiff_t> strides;
  for (int i = 0; i < buffer.ndim; ++i) {
    memory.shape.push_back(static_cast<std::size_t>(buffer.shape[i]));
    strides.push_back(buffer.strides[i] / static_cast<py::ssize_t>(item));
  }
  memory.bytes = reach(static_cast<std::byte*>(buffer.buf), item, memory.shape, strides);
  memory.in_order = is_in_order(memory.shape, strides);
  PyBuffer_Release(&buffer);
  return memory;
}

std::vector<std::size_t> shape_of(py::handle object) {
  std::vector<std::size_t> shape;
  for (const py::handle extent : object.attr("shape")) shape.push_back(extent.cast<std::size_t>());
  return shape;
}

// PyTorch tensors and objects that behave like them.
std::optional<Memory> memory_of_tensor(py::handle object) {
  Memory memory{.dtype = short_name(py::str(object.attr("dtype"))), .shape = shape_of(object)};
  if (py::str(object.attr("device").attr("type")).cast<std::string>() != "cpu") return memory;
  const auto item = object.attr("element_size")().cast<std::size_t>();
  std::vector<std::ptrdiff_t> strides;
  for (const py::handle stride : object.attr("stride")()) strides.push_back(stride.cast<std::ptrdiff_t>());
  auto* first = reinterpret_cast<std::byte*>(object.attr("data_ptr")().cast<std::uintptr_t>());
  memory.bytes = reach(first, item, memory.shape, strides);
  memory.in_order = is_in_order(memory.shape, strides);
  return memory;
}

// Objects that report their memory in no other way.
std::optional<Memory> memory_of_interface(py::handle object) {
  const py::dict interface = object.attr("__array_interface__");
  const std::string type = interface["typestr"].cast<std::string>();
  const std::size_t item = std::stoul(type.substr(2));
  Memory memory{.dtype = type.substr(1, 1) + std::to_string(8 * item), .shape = shape_of(object)};
  if (interface.contains("strides") && !interface["strides"].is_none()) memory.in_order = false;
  auto* first = reinterpret_cast<std::byte*>(interface["data"][py::int_(0)].cast<std::uintptr_t>());
  const std::size_t values =
      std::accumulate(memory.shape.begin(), memory.shape.end(), std::size_t{1}, std::multiplies<>());
  if (memory.in_order) memory.bytes = {first, values * item};
  return memory;
}

bool is_plain(py::handle object) {
  return object.is_none() || PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr()) || PyUnicode_Check(object.ptr());
}

bool is_leaf(py::handle object) {
  return PyObject_CheckBuffer(object.ptr()) || py::hasattr(object, "shape");
}

void add_leaves(py::handle object, int depth, std::vector<py::object>& leaves) {
  if (depth > kMostDepth || is_plain(object)) return;
  const auto add_all = [&](const py::object& items) {
    for (const py::handle item : items) add_leaves(item, depth + 1, leaves);
  };
  if (py::isinstance<py::tuple>(object) || py::isinstance<py::list>(object)) {
    add_all(py::reinterpret_borrow<py::object>(object));
  } else if (py::isinstance<py::dict>(object)) {
    add_all(object.attr("values")());
  } else if (is_leaf(object)) {
    leaves.push_back(py::reinterpret_borrow<py::object>(object));
  } else if (py::hasattr(object, "values") && py::hasattr(object, "keys")) {
    add_all(object.attr("values")());
  } else if (py::hasattr(object, "__dict__")) {
    add_all(object.attr("__dict__").attr("values")());
  }
}

template <typename T>
std::vector<std::int32_t> converted(const Memory& memory) {
  std::vector<std::int32_t> labels(memory.shape.front());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    T value{};
    std::memcpy(&value, memory.bytes.data() + i * sizeof(T), sizeof(T));
    const bool fits = std::in_range<std::int32_t>(value);
    labels[i] = fits ? static_cast<std::int32_t>(value) : std::numeric_limits<std::int32_t>::min();
  }
  return labels;
}

}  // namespace

std::optional<Memory> memory_of(py::handle object) {
  try {
    if (PyObject_CheckBuffer(object.ptr())) {
      if (auto memory = memory_of_buffer(object)) return memory;
    }
    if (py::hasattr(object, "data_ptr") && py::hasattr(object, "stride")) return memory_of_tensor(object);
    if (py::hasattr(object, "__array_interface__")) return memory_of_interface(object);
    if (py::hasattr(object, "shape")) return Memory{.dtype = "unknown", .shape = shape_of(object)};
  } catch (const py::error_already_set&) {
    // It looked like a tensor but is not.
  } catch (const py::cast_error&) {
  }
  return std::nullopt;
}

std::vector<py::object> leaves_of(py::handle batch) {
  std::vector<py::object> leaves;
  add_leaves(batch, 0, leaves);
  return leaves;
}

std::size_t read_lines_of(const Memory& memory) {
  const py::gil_scoped_release release;
  const unsigned sum = touch_lines(memory.bytes);
  asm volatile("" : : "r"(sum));  // the sum counts as used
  return memory.bytes.size();
}

std::optional<std::vector<std::int32_t>> labels_of(const Memory& memory) {
  if (memory.shape.size() != 1 || !memory.in_order || memory.bytes.empty()) return std::nullopt;
  if (memory.dtype == "i64") return converted<std::int64_t>(memory);
  if (memory.dtype == "i32") return converted<std::int32_t>(memory);
  if (memory.dtype == "u8") return converted<std::uint8_t>(memory);
  if (memory.dtype == "i16") return converted<std::int16_t>(memory);
  return std::nullopt;
}

std::int64_t count_samples(const py::object& count, PyObject* batch) {
  if (count.is_none()) return samples_of(batch);
  const auto returned = py::reinterpret_steal<py::object>(PyObject_CallFunctionObjArgs(count.ptr(), batch, nullptr));
  if (!returned) throw py::error_already_set();
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Long(returned.ptr()));
  const long long samples = number ? PyLong_AsLongLong(number.ptr()) : -1;
  if (PyErr_Occurred() == nullptr) return samples;
  PyErr_Clear();
  // Not a C++ exception of pybind11: the iterators that call this are types of the interpreter.
  PyErr_Format(PyExc_TypeError,
               "the function count returned a value of type %s, want the number of samples in the batch",
               Py_TYPE(returned.ptr())->tp_name);
  throw py::error_already_set();
}

}  // namespace loadline
