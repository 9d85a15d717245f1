#include "loaders/transforms/sentencepiece_module.h"

#include <sentencepiece_processor.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace loadline {

struct SentencePieceModel {
  sentencepiece::SentencePieceProcessor processor;
};

struct SentencePieceEncoder {
  const SentencePieceModel* model = nullptr;
  std::vector<int> tokens;
};

namespace {

static_assert(std::is_same_v<int, std::int32_t>);

// The thread's last failure.
const char* remembered(const char* why) {
  thread_local std::string text;
  try {
    text = why;
    return text.c_str();
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  }
}

template <typename Work>
const char* guarded(const Work& work) {
  try {
    const sentencepiece::util::Status status = work();
    return status.ok() ? nullptr : remembered(status.ToString().c_str());
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  } catch (const std::exception& error) {
    return remembered(error.what());
  } catch (...) {
    return "SentencePiece failed without a message";
  }
}

SentencePieceModel* load_model(const char* bytes, std::size_t count, const char** why) {
  SentencePieceModel* model = nullptr;
  bool is_model = false;
  *why = guarded([&] {
    model = new SentencePieceModel;
    // The library's message names lines of its own code, so it is not used.
    is_model = model->processor.LoadFromSerializedProto({bytes, count}).ok();
    return sentencepiece::util::Status();
  });
  if (is_model) return model;
  delete model;
  return nullptr;
}

void unload_model(SentencePieceModel* model) {
  delete model;
}

std::size_t vocabulary_of(const SentencePieceModel* model) {
  return static_cast<std::size_t>(model->processor.GetPieceSize());
}

std::int32_t end_of(const SentencePieceModel* model) {
  return model->processor.eos_id();
}

SentencePieceEncoder* make_encoder(const SentencePieceModel* model) {
  return new (std::nothrow) SentencePieceEncoder{.model = model, .tokens = {}};
}

void destroy_encoder(SentencePieceEncoder* encoder) {
  delete encoder;
}

const char* encode_text(SentencePieceEncoder* encoder, const char* text, std::size_t bytes, const std::int32_t** tokens,
                        std::size_t* count) {
  const char* const why = guarded([&] { return encoder->model->processor.Encode({text, bytes}, &encoder->tokens); });
  if (why != nullptr) return why;
  *tokens = encoder->tokens.data();
  *count = encoder->tokens.size();
  return nullptr;
}

}  // namespace

extern "C" const SentencePieceFunctions* loadline_sentencepiece_functions() {
  static constexpr SentencePieceFunctions kFunctions{.version = SentencePieceFunctions::kVersion,
                                                     .load = load_model,
                                                     .unload = unload_model,
                                                     .vocabulary = vocabulary_of,
                                                     .end = end_of,
                                                     .make = make_encoder,
                                                     .destroy = destroy_encoder,
                                                     .encode = encode_text};
  return &kFunctions;
}

}  // namespace loadline
