#include "loaders/datasets/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <numeric>
#include <utility>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/shards.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlainEnding = ".txt";
constexpr std::string_view kJsonEnding = ".jsonl";

bool is_plain_text(std::string_view name) {
  return name.ends_with(kPlainEnding);
}
bool is_json_text(std::string_view name) {
  return name.ends_with(kJsonEnding);
}
bool is_text_name(std::string_view name) {
  return is_plain_text(name) || is_json_text(name);
}
// A tokenizer model, its vocabulary list, or a description of the dataset.
bool is_beside_text(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto ends = [&](std::string_view ending) { return lower.ends_with(ending); };
  const auto begins = [&](std::string_view word) { return lower.starts_with(word); };
  return std::ranges::any_of(std::array{".model", ".vocab", ".md"}, ends) ||
         std::ranges::any_of(std::array{"readme", "license", "licence", "copying", "notice"}, begins);
}
template <bool (*kIs)(std::string_view)>
bool is_compressed_text(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst", ".xz", ".bz2"}) {
    if (name.ends_with(ending) && kIs(name.substr(0, name.size() - ending.size()))) return true;
  }
  return false;
}

constexpr ShardNames kPlainShards{
    .format = "text", .is_shard = is_plain_text, .is_compressed = is_compressed_text<is_plain_text>, .consolation = ""};
constexpr ShardNames kJsonShards{
    .format = "text", .is_shard = is_json_text, .is_compressed = is_compressed_text<is_json_text>, .consolation = ""};

// What the documents of this path are.
TextDocuments documents_at(const fs::path& path, const DatasetOptions& options) {
  const bool directory = fs::is_directory(path);
  if (has_shards(path, kJsonShards) || (!directory && is_json_text(path.filename().string()))) {
    if (options.documents == TextDocuments::kFiles) {
      throw usage_error(fmt::format("--documents files: {} holds JSON lines", path.string()));
    }
    return TextDocuments::kJsonLines;
  }
  if (options.documents != TextDocuments::kAuto) {
    if (directory || options.documents == TextDocuments::kLines) return options.documents;
    throw usage_error(fmt::format("--documents files: {} is one file, name a directory of files", path.string()));
  }
  if (!directory) return TextDocuments::kLines;
  const auto named_for_split = [](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return is_plain_text(name) && split_in_name(name);
  };
  return std::ranges::any_of(fs::directory_iterator(path), named_for_split) ? TextDocuments::kLines
                                                                            : TextDocuments::kFiles;
}

// "bytes", or the path of a model.
std::string tokenizer_for(const fs::path& path, const std::string& asked) {
  if (asked != "auto") return asked;
  const fs::path beside = fs::is_directory(path) ? path : fs::absolute(path).parent_path();
  std::vector<fs::path> models;
  for (const auto& entry : fs::directory_iterator(beside)) {
    if (entry.path().extension() == ".model" && entry.is_regular_file()) models.push_back(entry.path());
  }
  if (models.empty()) return std::string(kBytesTokenizer);
  std::ranges::sort(models);
  if (models.size() == 1) return models.front().string();
  throw usage_error(fmt::format("--tokenizer: {} and {} are next to the text, name the one to use", models[0].string(),
                                models[1].string()));
}

// Tokens per byte, measured on a few evenly spread documents; each end counts as one byte and one token.
double tokens_a_byte(const DocumentStore& documents, const Tokenizer& tokenizer, bool json, const std::string& key) {
  constexpr std::size_t kMostDocuments = 256;
  constexpr std::uint32_t kMostBytes = 16384;
  const auto lengths = documents.lengths();
  TextReader reader(documents, json, key, tokenizer.one_a_byte());
  const auto encoder = tokenizer.make_encoder();
  const std::size_t ends = tokenizer.end() ? 1 : 0;
  const std::size_t count = std::min(kMostDocuments, lengths.size());
  double bytes = 0;
  double tokens = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto document = static_cast<SampleIndex>(i * lengths.size() / count);
    const std::uint32_t end = std::min(lengths[document], kMostBytes);
    reader.read({.document = document, .first = 0, .end = end, .ends = end == lengths[document]});
    try {
      const std::size_t made = encoder->encode(reader.text(), {});
      tokens += static_cast<double>(made + ends);
      bytes += end + 1.0;
    } catch (const Error&) {  // the filler reports a corrupt document when it reads it
    }
  }
  documents.check_intact();
  return tokens > 0 ? tokens / bytes : 1;
}

std::size_t row_bytes_for(const DocumentStore& documents, const Tokenizer& tokenizer, bool json,
                          const DatasetOptions& options) {
  const std::size_t places = options.sequence_length + 1;
  if (!json && tokenizer.one_a_byte()) return places;
  const double tokens = tokens_a_byte(documents, tokenizer, json, options.text_key);
  return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(places) / tokens));
}

// Files, and the store of what they hold.
std::unique_ptr<DocumentStore> store_of(const fs::path& path, const DatasetOptions& options, DatasetInfo& info) {
  TextDocuments& kind = info.text->stored_as;
  kind = documents_at(path, options);
  const bool json = kind == TextDocuments::kJsonLines;
  if (!json && options.text_key != DatasetOptions().text_key) {
    throw usage_error(fmt::format("--text-key: it applies to JSON Lines, and {} holds none", path.string()));
  }
  if (kind == TextDocuments::kFiles) {
    if (options.split == Split::kTest && !fs::is_directory(path / "train")) {
      throw usage_error(fmt::format("split test: {} has no directory train, so it has one split only", path.string()));
    }
    TextFiles files = list_text_files(directory_of_split(path, options.split));
    info.files = std::move(files.paths);
    info.access = Access::kFiles;
    for (const std::uint32_t bytes : files.bytes) info.stored_bytes += bytes;
    return open_text_files(info.files, std::move(files.bytes));
  }
  const auto shards = shards_at(path, options.split, json ? kJsonShards : kPlainShards);
  info.files = shards;
  for (const fs::path& shard : shards) info.stored_bytes += fs::file_size(shard);
  return map_lines(shards);
}

}  // namespace

TextDataset::TextDataset(DatasetInfo info, std::unique_ptr<DocumentStore> documents,
                         std::shared_ptr<const Tokenizer> tokenizer, std::string json_key)
    : Dataset(std::move(info), {}),
      documents_(std::move(documents)),
      tokenizer_(std::move(tokenizer)),
      json_key_(std::move(json_key)) {
  if (const auto& row_bytes = this->info().text->row_bytes) {
    rows_ = std::make_unique<PackedRows>(documents_->lengths(), *row_bytes);
  }
}

std::span<const std::uint32_t> TextDataset::lengths() const {
  return rows_ ? std::span<const std::uint32_t>() : documents_->lengths();
}

std::string TextDataset::describe(SampleIndex index) const {
  return rows_ ? Dataset::describe(index) : documents_->where(index);
}

std::unique_ptr<SampleReader> TextDataset::make_reader(std::size_t /*most*/) const {
  throw Error(fmt::format("cannot read samples of {}: they are made from text", info().files.front().string()));
}

bool TextDataset::visit(const std::function<bool(StoredSample)>& visitor) const {
  constexpr std::size_t kBytesToCheck = std::size_t{1} << 18;
  const auto reader = documents_->make_reader();
  const auto lengths = documents_->lengths();
  std::size_t unchecked = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::string_view stored = reader->read(static_cast<SampleIndex>(i), 0, lengths[i]);
    if (!visitor(std::as_bytes(std::span(stored)))) return false;
    unchecked += stored.size();
    if (unchecked < kBytesToCheck) continue;
    check_intact();
    unchecked = 0;
  }
  check_intact();
  return true;
}

bool recognises_text(const fs::path& path) {
  if (!fs::is_directory(path)) return is_text_name(path.filename().string());
  // Many other datasets include a text that describes them or lists their files.
  bool any = false;
  const auto fits = [&any](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || is_beside_text(name)) return true;
    any = any || is_text_name(name);
    return is_text_name(name);
  };
  const fs::path root = fs::is_directory(path / "train") ? path / "train" : path;
  const bool all = std::ranges::all_of(fs::directory_iterator(root), [&](const auto& entry) {
    return entry.is_directory()
               ? std::ranges::all_of(fs::directory_iterator(entry.path()),
                                     [&](const auto& inner) { return inner.is_directory() || fits(inner); })
               : fits(entry);
  });
  return all && any;
}

std::unique_ptr<Dataset> open_text(const fs::path& path, const DatasetOptions& options) {
  DatasetInfo info{.format = "text", .classes = 1};
  info.text.emplace();
  auto documents = store_of(path, options, info);
  const auto tokenizer = make_tokenizer(tokenizer_for(path, options.tokenizer));
  TextShape& text = *info.text;
  const bool json = text.stored_as == TextDocuments::kJsonLines;
  const auto lengths = documents->lengths();
  text.documents = lengths.size();
  text.bytes = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  text.tokenizer = tokenizer->name();
  text.vocabulary = tokenizer->vocabulary();
  text.sequence_length = options.sequence_length;
  text.sequences = options.sequence_length > 0 ? options.sequences : Sequences::kPadded;
  info.samples = text.documents;
  if (text.sequences == Sequences::kPacked) {
    text.row_bytes = row_bytes_for(*documents, *tokenizer, json, options);
    info.samples = (text.bytes + text.documents + *text.row_bytes - 1) / *text.row_bytes;
    if (info.samples >= std::numeric_limits<SampleIndex>::max()) {
      throw usage_error(fmt::format("--sequence-length {}: {} has {} such rows, more than 2^32 - 2; use longer ones",
                                    options.sequence_length, path.string(), info.samples));
    }
  }
  if (options.in_memory) {
    documents = copy_documents(std::move(documents), options.memory);
    info = resident(std::move(info));
  }
  return std::make_unique<TextDataset>(std::move(info), std::move(documents), tokenizer, options.text_key);
}

}  // namespace loadline
