// Any bytes as text: an Error refuses them, or all of them become tokens, the same from mapped files or single ones as
// from memory; where a byte is a token, each byte does once. Nothing else may happen. The first byte says what the
// documents are, the second how they become samples; the next two, how many of the others are the first file.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/batch_pool.h"
#include "loaders/datasets/text.h"
#include "loaders/error.h"
#include "loaders/transforms/tokenizer.h"
#include "tests/loaders/support/files.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using Input = std::span<const std::uint8_t>;

constexpr std::size_t kMostFileBytes = std::size_t{1} << 16U;  // more show nothing new

// In memory if possible, where it costs least to write small files.
const fs::path& directory() {
  static const fs::path kMemory = "/dev/shm";
  if (fs::is_directory(kMemory)) ::setenv("TMPDIR", kMemory.c_str(), 1);
  static const test::TemporaryDirectory kOwn;
  return kOwn.path();
}

std::string text(Input bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kMostFileBytes)};
}

void require(bool holds) {
  if (!holds) std::abort();
}

struct Made {
  std::vector<std::int32_t> tokens;
  std::size_t cut = 0;
  std::size_t skipped = 0;

  bool operator==(const Made&) const = default;
};

// All samples, one after the other.
Made make(const TextDataset& dataset) {
  const TextAssembler assembler(dataset, OnCorrupt::kSkip);
  BatchPool pool(1, 1, assembler.sample_bytes());
  const Batch batch = pool.acquire();
  const auto filler = assembler.make_filler(1);
  Made made;
  for (std::size_t i = 0; i < dataset.info().samples; ++i) {
    batch->count = 1;
    batch->indices[0] = static_cast<SampleIndex>(i);
    filler->fill(*batch, Stores::kCached);
    made.cut += batch->tokens_cut;
    if (batch->count == 0) continue;
    const auto* first = reinterpret_cast<const std::int32_t*>(batch->data.data());
    made.tokens.insert(made.tokens.end(), first, first + assembler.sample_bytes() / sizeof(std::int32_t));
  }
  made.skipped = assembler.skipped().size();
  return made;
}

void check_sense(const TextDataset& dataset, const Made& made) {
  const TextShape& shape = *dataset.info().text;
  const auto vocabulary = static_cast<std::int32_t>(shape.vocabulary);
  std::size_t placed = 0;
  for (const std::int32_t token : made.tokens) {
    require(token >= kNoToken && token < vocabulary);
    placed += token != kNoToken ? 1 : 0;
  }
  // A text has another length in JSON.
  if (made.skipped > 0 || shape.stored_as == TextDocuments::kJsonLines || !dataset.tokenizer().one_a_byte()) return;
  require(placed + made.cut == shape.bytes + shape.documents);
  require(made.cut == 0 || shape.sequences == Sequences::kPadded);
}

std::optional<Made> read(const fs::path& path, const DatasetOptions& options) {
  try {
    const auto dataset = open_dataset(path, options);
    const TextDataset& of_text = *dataset->as_text();
    Made made = make(of_text);
    check_sense(of_text, made);
    return made;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The module of SentencePiece may be missing, or this program may not find it.
bool has_tokenizer(const std::string& model) {
  try {
    return make_tokenizer(model) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

bool read_text(Input input) {
  struct Names {
    std::array<const char*, 2> files;
    TextDocuments documents;
  };
  constexpr std::array kKinds{Names{{"train-0.txt", "train-1.txt"}, TextDocuments::kAuto},
                              Names{{"train-0.jsonl", "train-1.jsonl"}, TextDocuments::kAuto},
                              Names{{"a.txt", "b/c.txt"}, TextDocuments::kAuto},
                              Names{{"a.txt", "b.txt"}, TextDocuments::kLines}};
  static const std::string kModel = std::string(test::kRepository) + "/tests/loaders/support/words.model";
  static const bool kHasModel = has_tokenizer(kModel);
  const Names& kind = kKinds.at(input[0] % kKinds.size());
  const std::uint8_t how = input[1];
  DatasetOptions options{.sequence_length = 1U + how % 32U,
                         .sequences = (how & 0x40U) != 0 ? Sequences::kPacked : Sequences::kPadded,
                         .tokenizer = (how & 0x80U) != 0 && kHasModel ? kModel : "bytes",
                         .documents = kind.documents};
  const std::size_t first = std::min<std::size_t>(input[2] | unsigned{input[3]} << 8U, input.size() - 4);
  const fs::path home = directory() / "text";
  fs::remove_all(home);
  test::write(home / kind.files[0], text(input.subspan(4, first)));
  test::write(home / kind.files[1], text(input.subspan(4 + first)));
  const auto made = read(home, options);
  options.in_memory = true;
  require(made == read(home, options));
  return made && !made->tokens.empty();
}

}  // namespace
}  // namespace loadline

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// NOLINTNEXTLINE(readability-identifier-naming)
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLeast = 4;
  if (size < kLeast) return -1;
  return loadline::read_text({data, size}) ? 0 : -1;
}
