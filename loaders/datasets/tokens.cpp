#include "loaders/datasets/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/memory.h"
#include "loaders/datasets/token_index.h"
#include "loaders/error.h"
#include "loaders/random.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

Error token_refusal(const fs::path& path, const std::string& why) {
  return Error(fmt::format("cannot open {}: {}", path.string(), why));
}

fs::path index_of(fs::path path) {
  return path.replace_extension(".idx");
}

// A link that leads nowhere counts: without the index, tokens of four bytes would be read as two each.
bool has_index(const fs::path& path) {
  return fs::exists(fs::symlink_status(index_of(path)));
}

// A directory from nanoGPT's scripts: train.bin and val.bin.
fs::path file_in(const fs::path& path, Split split) {
  if (!fs::is_directory(path)) return path;
  if (split == Split::kTrain) return path / "train.bin";
  for (const char* name : {"val.bin", "test.bin"}) {
    if (fs::exists(path / name)) return path / name;
  }
  throw token_refusal(path, "the split test is missing, want val.bin or test.bin");
}

// How many sequences a document of `document` tokens gives. Its last token predicts nothing.
std::uint64_t sequences_in(std::uint64_t document, std::uint64_t length) {
  return document < 2 ? 0 : (document - 2) / length + 1;
}

std::vector<SampleIndex> sequence_ends(const fs::path& path, std::span<const std::uint64_t> starts,
                                       std::size_t length) {
  std::vector<SampleIndex> ends;
  ends.reserve(starts.size() - 1);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    sum += sequences_in(starts[i + 1] - starts[i], length);
    if (sum >= std::numeric_limits<SampleIndex>::max()) {
      throw usage_error(fmt::format("--sequence-length {}: {} has more than 2^32 - 2 such sequences; use longer ones",
                                    length, path.string()));
    }
    ends.push_back(static_cast<SampleIndex>(sum));
  }
  if (sum == 0) throw token_refusal(path, "none of its documents has two tokens or more");
  return ends;
}

// Its index, if any, says how wide a token is.
TokenShape shape_of(const fs::path& path, std::uint64_t file_bytes, const DatasetOptions& options) {
  TokenShape shape{
      .token_bytes = options.token_bytes, .sequence_length = options.sequence_length, .sequences = options.sequences};
  const fs::path index = index_of(path);
  const bool indexed = has_index(path);
  if (indexed) {
    const TokenIndexFacts facts = read_token_index_facts(index);
    if (shape.token_bytes != 0 && shape.token_bytes != facts.token_bytes) {
      throw usage_error(
          fmt::format("--token-type: {} says that tokens have {} bytes", index.string(), facts.token_bytes));
    }
    shape.token_bytes = facts.token_bytes;
    shape.documents = facts.documents;
    if (facts.tokens != file_bytes / facts.token_bytes) {
      throw token_refusal(path, fmt::format("it has {} bytes, but {} lists {} tokens of {} bytes", file_bytes,
                                            index.string(), facts.tokens, facts.token_bytes));
    }
  }
  if (shape.token_bytes == 0) shape.token_bytes = 2;
  if (file_bytes % shape.token_bytes != 0) {
    throw token_refusal(
        path, fmt::format("{} bytes are not a whole number of tokens of {} bytes", file_bytes, shape.token_bytes));
  }
  shape.tokens = file_bytes / shape.token_bytes;
  if (shape.tokens < 2) throw token_refusal(path, "it has fewer than two tokens");
  if (options.sequences == Sequences::kDocuments && !indexed) {
    throw usage_error(fmt::format("--sequences documents: {} lacks the index {} that lists the documents",
                                  path.string(), index.filename().string()));
  }
  return shape;
}

std::size_t samples_of(const TokenShape& shape, const fs::path& path) {
  // Samples are not cut.
  if (shape.sequence_length == 0) return 1;
  if (shape.sequence_length >= shape.tokens) {
    throw usage_error(fmt::format("--sequence-length {}: {} has only {} tokens; use a shorter length",
                                  shape.sequence_length, path.string(), shape.tokens));
  }
  const std::size_t samples = (shape.tokens - 1) / shape.sequence_length;
  if (samples >= std::numeric_limits<SampleIndex>::max()) {
    throw usage_error(fmt::format("--sequence-length {}: {} has {} such sequences, more than 2^32 - 2; use longer ones",
                                  shape.sequence_length, path.string(), samples));
  }
  return samples;
}

}  // namespace

TokenDataset::TokenDataset(DatasetInfo info, std::unique_ptr<MappedFile> file, std::vector<std::uint64_t> starts)
    : OnePiece(std::move(info), {}, std::move(file)), bytes_(this->file()->bytes()), starts_(std::move(starts)) {
  if (!starts_.empty()) ends_ = sequence_ends(this->file()->path(), starts_, this->info().tokens->sequence_length);
}

TokenDataset::TokenDataset(const TokenDataset& from, NodeMemory memory)
    : OnePiece(from.info(), {}, std::move(memory)),
      bytes_(own_memory()->first().first(from.bytes_.size())),
      starts_(from.starts_),
      ends_(from.ends_) {}

TokenRun TokenDataset::place(SampleIndex index, std::uint64_t seed, std::uint64_t epoch) const {
  const TokenShape& shape = *info().tokens;
  const std::size_t length = shape.sequence_length;
  switch (shape.sequences) {
    case Sequences::kRandom: {
      // There are fewer than 2^53 places, so all of them can be drawn.
      const auto places = static_cast<double>(shape.tokens - length);
      Random random(key_of(seed, epoch, index));
      return {static_cast<std::size_t>(random.unit() * places), length + 1};
    }
    case Sequences::kConsecutive: return {index * length, length + 1};
    case Sequences::kDocuments:
    case Sequences::kPadded:
    case Sequences::kPacked: break;  // the last two are of text
  }
  const auto found = std::ranges::upper_bound(ends_, index);
  const auto document = static_cast<std::size_t>(found - ends_.begin());
  const SampleIndex before = document == 0 ? 0 : ends_[document - 1];
  const std::size_t first = starts_[document] + (index - before) * length;
  return {first, std::min<std::size_t>(length + 1, starts_[document + 1] - first)};
}

std::unique_ptr<SampleReader> TokenDataset::make_reader(std::size_t /*most*/) const {
  throw Error(fmt::format("cannot read samples of {}: they are sequences of tokens", info().files.front().string()));
}

bool TokenDataset::visit(const std::function<bool(StoredSample)>& visitor) const {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
  for (std::size_t at = 0; at < bytes_.size(); at += kBlockBytes) {
    if (!visitor(bytes_.subspan(at, std::min(kBlockBytes, bytes_.size() - at)))) return false;
    check_intact();
  }
  return true;
}

bool recognises_tokens(const fs::path& path) {
  if (fs::is_directory(path)) {
    return fs::is_regular_file(path / "train.bin") && (fs::exists(path / "val.bin") || has_index(path / "train.bin"));
  }
  if (path.extension() != ".bin" || !fs::is_regular_file(path)) return false;
  return has_index(path) || (path.filename() == "val.bin" ||
                             (path.filename() == "train.bin" && recognises_tokens(fs::absolute(path).parent_path())));
}

std::unique_ptr<Dataset> open_tokens(const fs::path& path, const DatasetOptions& options) {
  const fs::path file_path = file_in(path, options.split);
  auto file = std::make_unique<MappedFile>(file_path);
  DatasetInfo info{.format = "tokens", .classes = 1, .files = {file_path}};
  const TokenShape shape = shape_of(file_path, file->bytes().size(), options);
  info.tokens = shape;
  info.samples = samples_of(shape, file_path);
  if (shape.documents) info.files.push_back(index_of(file_path));
  for (const fs::path& one : info.files) info.stored_bytes += fs::file_size(one);
  std::vector<std::uint64_t> starts;
  if (shape.sequences == Sequences::kDocuments && shape.sequence_length > 0) {
    starts = read_document_starts(index_of(file_path));
    info.samples = sequence_ends(file_path, starts, shape.sequence_length).back();
  }
  auto mapped = std::make_unique<TokenDataset>(std::move(info), std::move(file), std::move(starts));
  if (!options.in_memory) return mapped;
  return std::make_unique<TokenDataset>(*mapped, copy_bytes(*mapped, options.memory));
}

}  // namespace loadline
