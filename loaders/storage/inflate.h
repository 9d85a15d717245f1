// Inflates blocks in the zlib format (RFC 1950), as in compressed HDF5 chunks, and checks what PNG stores: by
// libdeflate, which takes half the time of zlib or less, or by zlib if libdeflate was not found at build time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace loadline {

// Keeps its memory between blocks. One thread at a time.
class Inflater {
 public:
  Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater();

  // Inflates one whole block. Returns whether `block` was sound and filled `out` exactly.
  bool inflate(std::span<const std::byte> block, std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Deflate's limit (RFC 1951): it codes at most 258 bytes in 2 bits. A file that claims to hold more times its length is
// false, and must not make its reader allocate memory.
inline constexpr std::size_t kMostInflation = 1032;

// CRC-32 as in PNG (ISO/IEC 15948, annex D) and gzip. Any thread.
std::uint32_t crc32_of(std::span<const std::byte> bytes);

}  // namespace loadline
