// The arrays, tensors and buffers of a Python batch, in tuples, lists, dicts and objects, and their memory.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loadline {

// Memory of a Python object, valid while that lives and is not resized.
struct Memory {
  std::span<std::byte> bytes;      // from its first value to its last; empty if it is not host memory
  std::string dtype;               // "u8", "f32", "i64", ..., or the object's own name for another type
  std::vector<std::size_t> shape;  // empty: a single value
  bool in_order = true;            // values lie in C order, without gaps
};

// Call all of these with the GIL.

// The memory of an array, a tensor or a buffer; nullopt: it is something else. Leaves no Python exception set.
std::optional<Memory> memory_of(pybind11::handle object);

// All leaves, depth first: everything but tuples, lists, dicts and objects with fields.
std::vector<pybind11::object> leaves_of(pybind11::handle batch);

// Reads one byte of every 64-byte line, without the GIL. Returns the number of bytes.
std::size_t read_lines_of(const Memory& memory);

// The samples in a batch, by the program's own function or, if that is None, as samples_of() finds them; -1: unknown.
// Throws error_already_set with what the function throws, and TypeError if it returns no whole number.
std::int64_t count_samples(const pybind11::object& count, PyObject* batch);

// The labels, which a Python loader may deliver as integers of any size; nullopt: they are not a row of integers.
std::optional<std::vector<std::int32_t>> labels_of(const Memory& memory);

}  // namespace loadline
