// SentencePiece behind C functions. The library brings its own protobuf classes, whose names may clash with another
// protobuf in the process. So it has its own module, loadline_sentencepiece.so, which is loaded with its own names
// first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loadline {

struct SentencePieceModel;    // defined by the module; immutable, any thread
struct SentencePieceEncoder;  // defined by the module; one thread's memory

// No function throws. Texts live until the next call on the same thread.
struct SentencePieceFunctions {
  static constexpr unsigned kVersion = 1;

  unsigned version;  // kVersion of the code that filled this in
  // Parses a model in memory. Null if it is not a model (`why` is null), or if parsing failed (`why` says why).
  SentencePieceModel* (*load)(const char* model, std::size_t bytes, const char** why);
  void (*unload)(SentencePieceModel* model);
  std::size_t (*vocabulary)(const SentencePieceModel* model);
  std::int32_t (*end)(const SentencePieceModel* model);  // below 0: the model has none
  // Null if memory is refused.
  SentencePieceEncoder* (*make)(const SentencePieceModel* model);
  void (*destroy)(SentencePieceEncoder* encoder);
  // Null, or the reason for failure. The tokens live until the next call.
  const char* (*encode)(SentencePieceEncoder* encoder, const char* text, std::size_t bytes, const std::int32_t** tokens,
                        std::size_t* count);
};

// The module's only symbol.
extern "C" __attribute__((visibility("default"))) const SentencePieceFunctions* loadline_sentencepiece_functions();

}  // namespace loadline
