#include "python/batches.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace loadline {
namespace {

constexpr int kMostDepthOfBatch = 8;
constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kWorthReleasing = std::size_t{256} << 10;  // bytes; reading fewer is over before a switch

// A reference of our own, or none.
class Owned {
 public:
  explicit Owned(PyObject* object) : object_(object) {
    if (object_ == nullptr) PyErr_Clear();
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_;
};

// Made once, kept for the life of the interpreter.
PyObject* name_of(const char* text) {
  return PyUnicode_InternFromString(text);
}

Owned attribute(PyObject* object, PyObject* name) {
  return Owned(PyObject_GetAttr(object, name));
}

Owned called(PyObject* object, PyObject* name) {
#if PY_VERSION_HEX >= 0x03090000
  return Owned(PyObject_CallMethodNoArgs(object, name));
#else
  const Owned method = attribute(object, name);
  return Owned(method ? PyObject_CallObject(method.get(), nullptr) : nullptr);
#endif
}

// -1: no whole number.
std::int64_t whole(PyObject* object) {
  if (object == nullptr) return -1;
  const Owned index(PyNumber_Index(object));
  if (!index) return -1;
  const std::int64_t value = PyLong_AsLongLong(index.get());
  if (value == -1) PyErr_Clear();
  return value;
}

bool is_plain(PyObject* object) {
  return object == Py_None || PyLong_Check(object) || PyFloat_Check(object) || PyUnicode_Check(object);
}

// Calls visit(leaf) for everything that is not a container, until that returns true; returns whether it did. Then
// descends into leaves that are neither arrays nor buffers.
template <typename Visit>
bool visit_leaves(PyObject* object, Visit& visit, int depth = 0) {
  if (depth > kMostDepthOfBatch || is_plain(object)) return false;
  if (PyTuple_Check(object) || PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      PyObject* const item = PySequence_Fast_GET_ITEM(object, i);
      Py_INCREF(item);
      const Owned kept(item);
      if (visit_leaves(item, visit, depth + 1)) return true;
    }
    return false;
  }
  if (PyDict_Check(object)) {
    const Owned values(PyDict_Values(object));
    return values && visit_leaves(values.get(), visit, depth + 1);
  }
  if (visit(object)) return true;
  static PyObject* const kShape = name_of("shape");
  static PyObject* const kDict = name_of("__dict__");
  if (PyObject_CheckBuffer(object) || attribute(object, kShape)) return false;
  // Objects that behave like a dict without being one, and objects with fields.
  if (PyMapping_Check(object) && !PySequence_Check(object)) {
    const Owned values(PyMapping_Values(object));
    return values && visit_leaves(values.get(), visit, depth + 1);
  }
  const Owned fields = attribute(object, kDict);
  return fields && PyDict_Check(fields.get()) && visit_leaves(fields.get(), visit, depth + 1);
}

// -1: it has none.
std::int64_t first_dimension(PyObject* leaf) {
  static PyObject* const kShape = name_of("shape");
  const Owned shape = attribute(leaf, kShape);
  if (!shape || !PyTuple_Check(shape.get()) || PyTuple_GET_SIZE(shape.get()) == 0) return -1;
  return whole(PyTuple_GET_ITEM(shape.get(), 0));
}

std::int64_t innermost_length(PyObject* object, int depth = 0) {
  if (depth > kMostDepthOfBatch) return -1;
  if (PyTuple_Check(object) || PyList_Check(object)) {
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
    const std::int64_t inner = size > 0 ? innermost_length(PySequence_Fast_GET_ITEM(object, 0), depth + 1) : -1;
    return inner >= 0 ? inner : size;
  }
  if (!PyDict_Check(object)) return -1;
  Py_ssize_t position = 0;
  PyObject* value = nullptr;
  return PyDict_Next(object, &position, nullptr, &value) != 0 ? innermost_length(value, depth + 1) : 0;
}

// The bytes of an array that reports them; -1: it does not. A failed query takes microseconds, so the last types that
// do not report are remembered.
std::int64_t array_bytes(PyObject* array) {
  static PyObject* const kBytes = name_of("nbytes");
  static std::array<PyTypeObject*, 4> silent{};
  static std::size_t next = 0;
  if (std::ranges::find(silent, Py_TYPE(array)) != silent.end()) return -1;
  const std::int64_t bytes = whole(attribute(array, kBytes).get());
  if (bytes < 0) {
    PyTypeObject*& place = silent[next++ % silent.size()];
    Py_XDECREF(place);
    place = Py_TYPE(array);
    Py_INCREF(place);
  }
  return bytes;
}

// The bytes of a PyTorch tensor, which has no buffer; also for versions without nbytes.
std::int64_t tensor_bytes(PyObject* tensor) {
  static PyObject* const kNumel = name_of("numel");
  static PyObject* const kElementSize = name_of("element_size");
  const std::int64_t values = whole(called(tensor, kNumel).get());
  return values < 0 ? -1 : values * std::max<std::int64_t>(0, whole(called(tensor, kElementSize).get()));
}

void read_lines(const char* first, std::size_t bytes) {
  const auto read = [&] {
    unsigned sum = 0;
    for (std::size_t at = 0; at < bytes; at += kLineBytes) sum += static_cast<unsigned char>(first[at]);
    volatile unsigned sink = sum;  // so that it is not left out
    (void)sink;
  };
  if (bytes < kWorthReleasing) return read();
  PyThreadState* const state = PyEval_SaveThread();
  read();
  PyEval_RestoreThread(state);
}

// From the lowest address of any of its values to the highest.
void touch_buffer(const Py_buffer& view) {
  std::ptrdiff_t low = 0;
  std::ptrdiff_t high = view.itemsize;
  if (view.len == 0) return;
  if (view.strides == nullptr) high = view.len;
  for (int i = 0; view.strides != nullptr && i < view.ndim; ++i) {
    const std::ptrdiff_t reach = (view.shape[i] - 1) * view.strides[i];
    (reach < 0 ? low : high) += reach;
  }
  read_lines(static_cast<const char*>(view.buf) + low, static_cast<std::size_t>(high - low));
}

bool is_in_host_memory(PyObject* tensor) {
  static PyObject* const kDevice = name_of("device");
  static PyObject* const kType = name_of("type");
  const Owned device = attribute(tensor, kDevice);
  const Owned type(device ? PyObject_GetAttr(device.get(), kType) : nullptr);
  return type && PyUnicode_Check(type.get()) && PyUnicode_CompareWithASCIIString(type.get(), "cpu") == 0;
}

void touch_tensor(PyObject* tensor) {
  static PyObject* const kDataPtr = name_of("data_ptr");
  static PyObject* const kShape = name_of("shape");
  static PyObject* const kStride = name_of("stride");
  static PyObject* const kElementSize = name_of("element_size");
  if (!is_in_host_memory(tensor)) return;
  const Owned address = called(tensor, kDataPtr);
  const Owned shape = attribute(tensor, kShape);
  const Owned strides = called(tensor, kStride);
  if (!address || !shape || !strides || !PyTuple_Check(shape.get()) || !PyTuple_Check(strides.get())) return;
  const void* const first = PyLong_AsVoidPtr(address.get());
  const std::int64_t each = whole(called(tensor, kElementSize).get());
  const Py_ssize_t dimensions = PyTuple_GET_SIZE(shape.get());
  if (first == nullptr || each <= 0 || PyTuple_GET_SIZE(strides.get()) != dimensions) return PyErr_Clear();
  std::int64_t last = 0;
  for (Py_ssize_t i = 0; i < dimensions; ++i) {
    const std::int64_t size = whole(PyTuple_GET_ITEM(shape.get(), i));
    const std::int64_t stride = whole(PyTuple_GET_ITEM(strides.get(), i));
    if (size <= 0 || stride < 0) return;
    last += (size - 1) * stride;
  }
  read_lines(static_cast<const char*>(first), static_cast<std::size_t>((last + 1) * each));
}

}  // namespace

std::int64_t samples_of(PyObject* batch) {
  std::int64_t samples = -1;
  auto visit = [&](PyObject* leaf) {
    samples = first_dimension(leaf);
    return samples >= 0;
  };
  return visit_leaves(batch, visit) ? samples : innermost_length(batch);
}

std::uint64_t bytes_in(PyObject* batch) {
  std::uint64_t bytes = 0;
  auto visit = [&](PyObject* leaf) {
    std::int64_t its = array_bytes(leaf);
    if (its < 0) its = tensor_bytes(leaf);
    if (its < 0 && PyBytes_Check(leaf)) its = PyBytes_GET_SIZE(leaf);
    if (its > 0) bytes += static_cast<std::uint64_t>(its);
    return false;
  };
  visit_leaves(batch, visit);
  return bytes;
}

void touch(PyObject* batch) {
  auto visit = [](PyObject* leaf) {
    if (!PyObject_CheckBuffer(leaf)) {
      touch_tensor(leaf);
      return false;
    }
    Py_buffer view;
    if (PyObject_GetBuffer(leaf, &view, PyBUF_STRIDED_RO) != 0) {
      PyErr_Clear();  // for types that buffers do not know, such as dates
      return false;
    }
    touch_buffer(view);
    PyBuffer_Release(&view);
    return false;
  };
  visit_leaves(batch, visit);
}

}  // namespace loadline
