#include "loaders/transforms/tokenizer.h"

#include <algorithm>

#include "loaders/transforms/sentencepiece.h"

namespace loadline {
namespace {

constexpr std::int32_t kEndOfText = 0;

class BytesEncoder final : public Encoder {
 public:
  std::size_t encode(std::string_view text, std::span<std::int32_t> out) override {
    const std::size_t count = std::min(text.size(), out.size());
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    for (std::size_t i = 0; i < count; ++i) out[i] = bytes[i] + 1;
    return text.size();
  }
};

class BytesTokenizer final : public Tokenizer {
 public:
  std::string name() const override { return std::string(kBytesTokenizer); }
  std::size_t vocabulary() const override { return 256; }
  std::optional<std::int32_t> end() const override { return kEndOfText; }
  bool one_a_byte() const override { return true; }
  std::unique_ptr<Encoder> make_encoder() const override { return std::make_unique<BytesEncoder>(); }
};

}  // namespace

std::shared_ptr<const Tokenizer> make_bytes_tokenizer() {
  return std::make_shared<BytesTokenizer>();
}

std::shared_ptr<const Tokenizer> make_tokenizer(const std::string& word) {
  if (word == kBytesTokenizer) return make_bytes_tokenizer();
  return make_sentencepiece_tokenizer(word);
}

}  // namespace loadline
