// What makes tokens of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace loadline {

// One thread's way to tokens.
class Encoder {
 public:
  virtual ~Encoder() = default;

  // Writes the first tokens of `text`, which is valid UTF-8, as far as `out` has room; returns how many there are in
  // all. Throws Error where the library behind it fails.
  virtual std::size_t encode(std::string_view text, std::span<std::int32_t> out) = 0;
};

// Immutable. Any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual std::string name() const = 0;                 // "bytes", or the path of its model
  virtual std::size_t vocabulary() const = 0;           // tokens are below it
  virtual std::optional<std::int32_t> end() const = 0;  // the token that ends a document, if any
  // Whether each byte becomes one token whatever stands beside it, so that text may be cut anywhere.
  virtual bool one_a_byte() const = 0;
  // Borrows the tokenizer.
  virtual std::unique_ptr<Encoder> make_encoder() const = 0;
};

inline constexpr std::string_view kBytesTokenizer = "bytes";

// Byte b is token b + 1, and 0 ends a document: 256 tokens, as no byte of UTF-8 is above 244.
std::shared_ptr<const Tokenizer> make_bytes_tokenizer();

// "bytes", or a file with a model of SentencePiece. Throws Error naming the file where it is none, and usage Error
// where this build has no SentencePiece.
std::shared_ptr<const Tokenizer> make_tokenizer(const std::string& word);

}  // namespace loadline
