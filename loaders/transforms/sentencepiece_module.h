// What loadline asks of SentencePiece, behind functions of C. The library brings classes of protobuf of its own, under
// the names that another protobuf of the process has: so it is in a module, loadline_sentencepiece.so, which is loaded
// with its own names first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loadline {

struct SentencePieceModel;    // the module's: immutable, any thread
struct SentencePieceEncoder;  // the module's: one thread's memory

// No function throws or lets an exception through. Texts live until the next call of the same thread.
struct SentencePieceFunctions {
  static constexpr unsigned kVersion = 1;

  unsigned version;  // kVersion of the code that filled this in
  // Parses a model that was read into memory. Null where it is not one, and `why` is null, or where parsing failed, and
  // `why` says why.
  SentencePieceModel* (*load)(const char* model, std::size_t bytes, const char** why);
  void (*unload)(SentencePieceModel* model);
  std::size_t (*vocabulary)(const SentencePieceModel* model);
  std::int32_t (*end)(const SentencePieceModel* model);  // below 0: the model has none
  // Null where there is no memory for it.
  SentencePieceEncoder* (*make)(const SentencePieceModel* model);
  void (*destroy)(SentencePieceEncoder* encoder);
  // Null, or why it cannot. The tokens live until the next call.
  const char* (*encode)(SentencePieceEncoder* encoder, const char* text, std::size_t bytes, const std::int32_t** tokens,
                        std::size_t* count);
};

// The module's one symbol.
extern "C" __attribute__((visibility("default"))) const SentencePieceFunctions* loadline_sentencepiece_functions();

}  // namespace loadline
