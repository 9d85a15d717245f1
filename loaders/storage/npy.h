// Arrays in NumPy's .npy files (NEP 1: "A simple file format for NumPy arrays", and numpy.lib.format, versions 1.0 to
// 3.0): a magic string, a header in Python's notation, then the values in one piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

struct NpyFacts {
  std::string dtype;          // in NumPy's notation: "<f4" is f32, little-endian
  bool column_major = false;  // Fortran's order
  std::vector<std::uint64_t> extents;
  std::size_t offset_bytes = 0;  // of the first value
};

// Reads the header. Throws Error naming the path and what is wrong with it.
NpyFacts read_npy_facts(const std::filesystem::path& path);

// Parses the header of a file of `file_bytes` bytes, which messages call `shown`. `start` is the whole file, or at
// least as much as any header has.
NpyFacts npy_facts_in(std::span<const std::byte> start, std::uint64_t file_bytes, const std::string& shown);

// The beginning of a version 1.0 file in row-major order, padded so that the values start on a cache line.
std::string npy_header(std::span<const std::uint64_t> extents, std::string_view dtype = "<f4");

}  // namespace loadline
