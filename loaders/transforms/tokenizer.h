// Turns text into tokens.
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

// Tokenises for one thread.
class Encoder {
 public:
  virtual ~Encoder() = default;

  // Writes as many of the first tokens of `text`, which must be valid UTF-8, as `out` has room for; returns how many
  // there are in all. Throws Error if the library behind it fails.
  virtual std::size_t encode(std::string_view text, std::span<std::int32_t> out) = 0;
};

// Immutable. Any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual std::string name() const = 0;                 // "bytes", or the path of the model
  virtual std::size_t vocabulary() const = 0;           // tokens are below it
  virtual std::optional<std::int32_t> end() const = 0;  // the token that ends a document, if any
  // Whether each byte becomes one token whatever its neighbours, so that text may be cut anywhere.
  virtual bool one_a_byte() const = 0;
  // Borrows the tokenizer.
  virtual std::unique_ptr<Encoder> make_encoder() const = 0;
};

inline constexpr std::string_view kBytesTokenizer = "bytes";

// Byte b is token b + 1, and 0 ends a document: 256 tokens are enough, because no byte of UTF-8 is above 244.
std::shared_ptr<const Tokenizer> make_bytes_tokenizer();

// `word`: "bytes", or the file of a SentencePiece model. Throws Error naming the file if it is not a model, and usage
// Error if this build has no SentencePiece.
std::shared_ptr<const Tokenizer> make_tokenizer(const std::string& word);

}  // namespace loadline
