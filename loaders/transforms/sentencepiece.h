// Tokens by SentencePiece (T. Kudo, J. Richardson: "SentencePiece: A simple and language independent subword tokenizer
// and detokenizer for Neural Text Processing", EMNLP 2018).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "loaders/transforms/tokenizer.h"

namespace loadline {

// Why this build has no SentencePiece, and how to get it; empty where it has.
std::string why_no_sentencepiece();

// By a model as spm_train writes it. What the model has as its end of a sentence ends a document. Throws Error naming
// the file where it is no such model, and usage Error where the build has no SentencePiece.
std::shared_ptr<const Tokenizer> make_sentencepiece_tokenizer(const std::filesystem::path& model);

}  // namespace loadline
