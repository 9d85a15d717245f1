// Generated data sets: written from a seed in the published layouts, byte-identical on every machine, each class with
// something of its own to learn. Any reader of those formats opens them.
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
  std::size_t samples = 50'000;  // of the training split, at least one a class; the test split gets a share of it
  std::uint64_t seed = 1;
};

struct PlannedFile;  // layout.h
struct SplitPlan;    // layout.h

// One format that can be generated: a row of the table in generate.cpp.
struct GeneratorKind {
  std::string_view name;
  std::string_view summary;
  std::size_t classes;
  std::size_t train_per_test;  // the test split has samples / train_per_test samples, at least 1
  // Every file of the data set, in the order it is written. Nothing is generated until a record is asked for.
  std::vector<PlannedFile> (*files)(std::uint64_t seed, const SplitPlan& train, const SplitPlan& test);
};

std::span<const GeneratorKind> generators();
// Throws a usage error naming the known kinds when `name` is none of them.
const GeneratorKind& generator(std::string_view name);

enum class Generated {
  kMade,
  kAlreadyThere,  // the directory holds exactly these bytes already; nothing was written
};

// Told about `done` of `total` samples, training and test together, about once a MiB, from the calling thread.
using GenerateProgress = std::function<void(std::size_t done, std::size_t total)>;

// Writes the data set `kind` into `directory`, which appears whole or not at all; missing parents are created, an empty
// directory is taken over. Uses one thread and a few MiB, whatever the number of samples.
// Throws a usage error for an unknown kind or an impossible number of samples, and Error when anything else is at
// `directory` (which stays as it is), when storage refuses (a full disk), and when `stop` was requested (looked at
// before every sample). After an Error nothing is left behind.
Generated generate(std::string_view kind, const std::filesystem::path& directory, const GenerateOptions& options,
                   const GenerateProgress& progress = {}, std::stop_token stop = {});

// What is a document of generated text: a line of train.txt and val.txt, the member "text" of a line of train.jsonl and
// val.jsonl, or a file in train and val.
enum class TextForm : std::uint8_t { kLines, kJsonLines, kFiles };
// "lines", "json-lines", "files"; throws usage Error for other words.
TextForm text_form_named(std::string_view name);

struct TextOptions {
  std::size_t bytes = std::size_t{1} << 25;  // of the training part, rounded up to a multiple of 16,384
  std::uint64_t seed = 1;
  TextForm form = TextForm::kLines;

  // Files are slow to make and take more room than they have bytes.
  static constexpr std::size_t standard_bytes(TextForm form) {
    return std::size_t{1} << (form == TextForm::kFiles ? 22U : 25U);
  }
};

// Writes documents of 24 to 768 bytes in a made-up language, and a tenth as much for validation. After each word come
// four others, more and less often, and now and then what a document said before comes again. Same rules as generate().
Generated generate_text(const std::filesystem::path& directory, const TextOptions& options,
                        const GenerateProgress& progress = {}, std::stop_token stop = {});

struct TokensOptions {
  std::size_t tokens = std::size_t{1} << 24;  // of the training part, rounded up to a multiple of 4,096
  std::uint64_t seed = 1;
};

// Writes train.bin, and a tenth as much in val.bin, tokens of u16, each with the index of its documents, as
// token_index.h describes it; all below 256, where 0 ends a document. Same rules as generate().
Generated generate_tokens(const std::filesystem::path& directory, const TokensOptions& options,
                          const GenerateProgress& progress = {}, std::stop_token stop = {});

}  // namespace loadline
