// Tokenises by SentencePiece (T. Kudo, J. Richardson: "SentencePiece: A simple and language independent subword
// tokenizer and detokenizer for Neural Text Processing", EMNLP 2018).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "loaders/transforms/tokenizer.h"

namespace loadline {

// Why this build has no SentencePiece, and how to get it; empty if it has it.
std::string why_no_sentencepiece();

// Loads SentencePiece now. Throws Error if it cannot be loaded. Any thread.
void load_sentencepiece();

// Uses a model written by spm_train. The model's end-of-sentence token ends a document. Throws Error naming the file
// if it is not such a model, and usage Error if the build has no SentencePiece.
std::shared_ptr<const Tokenizer> make_sentencepiece_tokenizer(const std::filesystem::path& model);

}  // namespace loadline
