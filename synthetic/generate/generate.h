// Generates datasets from a seed in the published layouts, byte-identical on every machine. Each class has something
// of its own to learn. Any reader of those formats can open them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace loadline {

struct GenerateOptions {
  std::size_t samples = 50'000;  // of the training split, at least one per class; the test split has a fraction of
                                 // that
  std::uint64_t seed = 1;
};

struct PlannedFile;  // layout.h
struct SplitPlan;    // layout.h

// One format that can be generated: a row of the table in generate.cpp.
struct GeneratorKind {
  std::string_view name;
  std::string_view summary;
  std::string_view format;  // of its files: a row of the table of dataset formats
  std::size_t classes;
  std::size_t train_per_test;  // the test split has samples / train_per_test, at least 1
  // Every file of the dataset, in writing order. Nothing is generated until a record is requested.
  std::vector<PlannedFile> (*files)(std::uint64_t seed, const SplitPlan& train, const SplitPlan& test);
};

std::span<const GeneratorKind> generators();
// The kind of this name. Throws usage Error listing the known kinds if there is none.
const GeneratorKind& generator(std::string_view name);

enum class Generated {
  kMade,
  kAlreadyThere,  // the directory already holds exactly these bytes, or got them from another process meanwhile
};

// Called about once per MiB, on the calling thread, with `done` of `total` samples, training and test together.
using GenerateProgress = std::function<void(std::size_t done, std::size_t total)>;

// Writes the dataset `kind` into `directory`, which appears complete or not at all; missing parents are created, and
// an empty directory is used. Uses one thread and a few MiB, whatever the number of samples. Throws usage Error for
// an unknown kind or an impossible number of samples, and Error if something else is at `directory` (which stays
// unchanged), if storage refuses (a full disk), and if `stop` was requested (checked before every sample). After an
// Error nothing is left behind.
Generated generate(std::string_view kind, const std::filesystem::path& directory, const GenerateOptions& options,
                   const GenerateProgress& progress = {}, std::stop_token stop = {});

// What a document of generated text is: a line of train.txt or val.txt, the member "text" on a line of train.jsonl or
// val.jsonl, or a file in train or val.
enum class TextForm : std::uint8_t { kLines, kJsonLines, kFiles };
// "lines", "json-lines", "files"; throws usage Error for other words.
TextForm text_form_named(std::string_view name);

struct TextOptions {
  std::size_t bytes = std::size_t{1} << 25;  // of the training split, rounded up to a multiple of 16,384
  std::uint64_t seed = 1;
  TextForm form = TextForm::kLines;

  // Smaller for kFiles: files are slow to create and take more room than they have bytes.
  static constexpr std::size_t standard_bytes(TextForm form) {
    return std::size_t{1} << (form == TextForm::kFiles ? 22U : 25U);
  }
};

// Writes documents of 24 to 768 bytes in a made-up language, and a tenth as much for validation. Each word is
// followed by one of four others with unequal frequency, and now and then a document repeats an earlier part. Same
// rules as generate().
Generated generate_text(const std::filesystem::path& directory, const TextOptions& options,
                        const GenerateProgress& progress = {}, std::stop_token stop = {});

struct TokensOptions {
  std::size_t tokens = std::size_t{1} << 24;  // of the training split, rounded up to a multiple of 4,096
  std::uint64_t seed = 1;
};

// Writes train.bin, and val.bin with a tenth as much: u16 tokens below 256, where 0 ends a document, each file with
// the index of its documents that token_index.h describes. Same rules as generate().
Generated generate_tokens(const std::filesystem::path& directory, const TokensOptions& options,
                          const GenerateProgress& progress = {}, std::stop_token stop = {});

}  // namespace loadline
