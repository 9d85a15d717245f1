// The parts of a Python batch: arrays, tensors and buffers in tuples, lists, dicts and objects, and where they
// lie.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loadline {

// Memory that belongs to a Python object, for as long as that lives and is not resized.
struct Memory {
  std::span<std::byte> bytes;      // from its first value to its last; empty where it is not the host's
  std::string dtype;               // "u8", "f32", "i64", ..., or as the object says where we have no name for it
  std::vector<std::size_t> shape;  // empty: a single value
  bool in_order = true;            // values lie in C order, without gaps
};

// The GIL is held in all of these.

// Of an array, a tensor or a buffer; none: it is something else. Leaves no exception of Python's behind.
std::optional<Memory> memory_of(pybind11::handle object);

// All leaves, depth first: what is neither tuple, list nor dict, nor an object with fields that are.
std::vector<pybind11::object> leaves_of(pybind11::handle batch);

// Reads a byte of every 64-byte line, without the GIL. Returns the number of bytes.
std::size_t read_lines_of(const Memory& memory);

// Labels, which a Python loader delivers as integers of any size; absent: they are not integers in a row.
std::optional<std::vector<std::int32_t>> labels_of(const Memory& memory);

}  // namespace loadline
