#include "loaders/transforms/sentencepiece.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/system/module.h"
#include "loaders/transforms/sentencepiece_module.h"

namespace loadline {
namespace {

const SentencePieceFunctions& sentencepiece() {
  static const SentencePieceFunctions& functions = []() -> const SentencePieceFunctions& {
    using Get = decltype(&loadline_sentencepiece_functions);
    const auto get = reinterpret_cast<Get>(load_module("loadline_sentencepiece.so", "loadline_sentencepiece_functions",
                                                       "tokenises text by SentencePiece", ModuleNames::kOwnFirst));
    const SentencePieceFunctions& found = *get();
    if (found.version != SentencePieceFunctions::kVersion) {
      throw Error(fmt::format("cannot use loadline_sentencepiece.so: it has version {} of its interface, want {}",
                              found.version, SentencePieceFunctions::kVersion));
    }
    return found;
  }();
  return functions;
}

class SentencePiece final : public Tokenizer {
 public:
  explicit SentencePiece(std::filesystem::path path) : path_(std::move(path)) {
    constexpr std::size_t kMostModelBytes = std::size_t{1} << 28;  // far more than any model has
    const std::string bytes = read_text(path_, kMostModelBytes);
    const char* why = nullptr;
    model_.reset(sentencepiece().load(bytes.data(), bytes.size(), &why));
    if (!model_) {
      throw Error(fmt::format("cannot open {}: {}", path_.string(),
                              why == nullptr ? "it is not a SentencePiece model as written by spm_train" : why));
    }
    if (vocabulary() == 0) throw Error(fmt::format("cannot open {}: the model has no tokens", path_.string()));
  }

  std::string name() const override { return path_.string(); }
  std::size_t vocabulary() const override { return sentencepiece().vocabulary(model_.get()); }
  std::optional<std::int32_t> end() const override {
    const std::int32_t token = sentencepiece().end(model_.get());
    return token < 0 ? std::nullopt : std::optional(token);
  }
  bool one_a_byte() const override { return false; }
  std::unique_ptr<Encoder> make_encoder() const override { return std::make_unique<PieceEncoder>(*model_); }

 private:
  // The library allocates while it encodes.
  class PieceEncoder final : public Encoder {
   public:
    explicit PieceEncoder(const SentencePieceModel& model) : encoder_(sentencepiece().make(&model)) {
      if (!encoder_) throw Error("cannot encode text by SentencePiece: not enough memory");
    }

    std::size_t encode(std::string_view text, std::span<std::int32_t> out) override {
      const std::int32_t* tokens = nullptr;
      std::size_t count = 0;
      const char* const why = sentencepiece().encode(encoder_.get(), text.data(), text.size(), &tokens, &count);
      if (why != nullptr) throw Error(fmt::format("cannot encode text by SentencePiece: {}", why));
      std::copy_n(tokens, std::min(count, out.size()), out.begin());
      return count;
    }

   private:
    struct Destroy {
      void operator()(SentencePieceEncoder* encoder) const { sentencepiece().destroy(encoder); }
    };
    std::unique_ptr<SentencePieceEncoder, Destroy> encoder_;
  };

  struct Unload {
    void operator()(SentencePieceModel* model) const { sentencepiece().unload(model); }
  };

  std::filesystem::path path_;
  std::unique_ptr<SentencePieceModel, Unload> model_;
};

}  // namespace

std::string why_no_sentencepiece() {
#ifdef LOADLINE_HAVE_SENTENCEPIECE
  return "";
#else
  return "built without SentencePiece; install it (Debian: libsentencepiece-dev) and configure again";
#endif
}

void load_sentencepiece() {
  sentencepiece();
}

std::shared_ptr<const Tokenizer> make_sentencepiece_tokenizer(const std::filesystem::path& model) {
  if (const std::string why = why_no_sentencepiece(); !why.empty()) {
    throw usage_error(
        fmt::format("--tokenizer {}: loadline was {}, or use --tokenizer {}", model.string(), why, kBytesTokenizer));
  }
  return std::make_shared<SentencePiece>(model);
}

}  // namespace loadline
