// Writes tokens, and text as tokens: train.bin and its index, as language model trainers read them.
#include "loaders/datasets/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/datasets/text.h"
#include "loaders/datasets/token_index.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/system/affinity.h"
#include "loaders/system/parallel.h"
#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

// Tokens of neighbouring documents, ready to be stored.
struct TokenBlock {
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> lengths;  // tokens per document
};

std::size_t token_bytes_for(const TextShape& text) {
  return text.vocabulary <= std::size_t{1} << 16 ? 2 : 4;
}

// One per thread.
class BlockMaker {
 public:
  BlockMaker(const TextDataset& text, std::size_t token_bytes)
      : text_(text),
        token_bytes_(token_bytes),
        encoder_(text.tokenizer().make_encoder()),
        reader_(text.documents(), text.is_json(), text.json_key(), text.tokenizer().one_a_byte()) {}

  void make(SampleIndex first, SampleIndex end, TokenBlock& block) {
    block.bytes.clear();
    block.lengths.clear();
    for (SampleIndex document = first; document < end; ++document) add(document, block);
  }

 private:
  void add(SampleIndex document, TokenBlock& block) {
    const std::uint32_t bytes = text_.documents().lengths()[document];
    reader_.read({.document = document, .first = 0, .end = bytes, .ends = true});
    std::size_t count = 0;
    try {
      const std::string_view text = reader_.text();
      // Hardly any text gives more tokens than bytes.
      if (tokens_.size() < text.size() + 1) tokens_.resize(text.size() + 1);
      count = encoder_->encode(text, tokens_);
      if (count >= tokens_.size()) {
        tokens_.resize(count + 1);
        encoder_->encode(text, tokens_);
      }
    } catch (const Error& error) {
      throw Error(fmt::format("cannot read {}: {}", text_.documents().where(document), error.what()));
    }
    if (const auto end = text_.tokenizer().end()) tokens_[count++] = *end;
    const std::size_t before = block.bytes.size();
    block.bytes.resize(before + count * token_bytes_);
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(block.bytes.data() + before + i * token_bytes_, &tokens_[i], token_bytes_);  // little-endian
    }
    block.lengths.push_back(count);
  }

  const TextDataset& text_;
  const std::size_t token_bytes_;
  std::unique_ptr<Encoder> encoder_;
  TextReader reader_;
  std::vector<std::int32_t> tokens_;
};

// Makes blocks on several threads and passes them to `consume` in order until that returns false. Returns false then,
// and if a stop was requested.
bool for_each_block(const TextDataset& text, std::size_t token_bytes, const std::stop_token& stop,
                    const std::function<bool(const TokenBlock&)>& consume) {
  constexpr std::size_t kTextBlockBytes = std::size_t{1} << 18;
  const auto lengths = text.documents().lengths();
  const std::size_t threads = std::max<std::size_t>(affinity_cpus().size(), 1);
  std::vector<BlockMaker> makers;
  for (std::size_t i = 0; i < threads; ++i) makers.emplace_back(text, token_bytes);
  std::vector<TokenBlock> blocks(threads);
  std::vector<std::exception_ptr> failures(threads);
  for (std::size_t next = 0; next < lengths.size();) {
    if (stop.stop_requested()) return false;
    std::vector<std::size_t> begins{next};  // of the blocks, and the end of the last one
    while (begins.size() <= threads && next < lengths.size()) {
      for (std::size_t bytes = 0; next < lengths.size() && bytes < kTextBlockBytes; ++next) bytes += lengths[next];
      begins.push_back(next);
    }
    const std::size_t used = begins.size() - 1;
    in_parallel(used, threads, [&](std::size_t worker, std::size_t i) {
      // Thrown only in this block's turn: `consume` may refuse an earlier block, and if the file shrank,
      // check_intact() knows the real reason.
      try {
        makers[worker].make(static_cast<SampleIndex>(begins[i]), static_cast<SampleIndex>(begins[i + 1]), blocks[i]);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
    text.check_intact();
    for (std::size_t i = 0; i < used; ++i) {
      if (failures[i]) std::rethrow_exception(failures[i]);
      if (!consume(blocks[i])) return false;
    }
  }
  return true;
}

template <typename T>
void append_number(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Returns where documents begin, and the end of the last.
std::vector<std::uint64_t> write_tokens_of_text(const ConvertJob& job, std::size_t token_bytes, AtomicFile& tokens) {
  const TextDataset& text = *job.from.as_text();
  std::vector<std::uint64_t> starts{0};
  const bool complete = for_each_block(text, token_bytes, job.stop, [&](const TokenBlock& block) {
    tokens.write(block.bytes);
    for (const std::uint64_t length : block.lengths) starts.push_back(starts.back() + length);
    if (job.progress) job.progress(starts.size() - 1, text.info().text->documents);
    return true;
  });
  if (!complete) throw conversion_interrupted(job.shown);
  return starts;
}

// ---- from tokens

// Tokens whose documents are unknown are one document.
std::vector<std::uint64_t> document_starts(const Dataset& tokens) {
  const DatasetInfo& info = tokens.info();
  if (!info.tokens->documents) return {0, info.tokens->tokens};
  return read_document_starts(info.files[1]);
}

// Returns where documents begin, and the end of the last.
std::vector<std::uint64_t> write_tokens_of_tokens(const ConvertJob& job, std::size_t token_bytes, AtomicFile& tokens) {
  const DatasetInfo& info = job.from.info();
  const std::size_t from_bytes = info.tokens->token_bytes;
  auto starts = document_starts(job.from);
  std::size_t done = 0;
  std::vector<std::byte> block;
  const bool complete = job.from.visit([&](StoredSample stored) {
    const std::size_t count = stored.size() / from_bytes;
    block.resize(count * token_bytes);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t token = 0;
      std::memcpy(&token, stored.data() + i * from_bytes, from_bytes);  // little-endian
      if (token_bytes == 2 && token > std::numeric_limits<std::uint16_t>::max()) {
        throw Error(
            fmt::format("cannot convert to {}: token {} of {} is {}, and u16 holds at most 65535; use "
                        "--to-token-type u32 instead",
                        job.shown.string(), done + i, info.files.front().string(), token));
      }
      std::memcpy(block.data() + i * token_bytes, &token, token_bytes);
    }
    tokens.write(block);
    done += count;
    if (job.progress) job.progress(done, info.tokens->tokens);
    return !job.stop.stop_requested();
  });
  if (!complete) throw conversion_interrupted(job.shown);
  return starts;
}

}  // namespace

std::size_t stored_token_bytes(const DatasetInfo& from, const ConvertOptions& options) {
  if (options.token_bytes != 0) return options.token_bytes;
  return from.text ? token_bytes_for(*from.text) : from.tokens->token_bytes;
}

std::string tokens_obstacle(const Dataset& from) {
  return from.info().text || from.info().tokens ? "" : "tokens, which are made only from text";
}

std::string index_of_documents(std::span<const std::uint64_t> starts, std::size_t token_bytes) {
  constexpr std::uint64_t kMostInSequence = std::numeric_limits<std::int32_t>::max();
  constexpr std::uint8_t kInt32 = 4;
  constexpr std::uint8_t kUInt16 = 8;
  std::string lengths;
  std::string begins;
  std::string documents;
  std::uint64_t sequences = 0;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    append_number(documents, sequences);
    std::uint64_t at = starts[i];
    do {
      const std::uint64_t length = std::min(starts[i + 1] - at, kMostInSequence);
      append_number(lengths, static_cast<std::uint32_t>(length));
      append_number(begins, at * token_bytes);
      at += length;
      ++sequences;
    } while (at < starts[i + 1]);
  }
  append_number(documents, sequences);
  std::string bytes{"MMIDIDX\0\0", 9};
  append_number(bytes, std::uint64_t{1});
  append_number(bytes, token_bytes == 2 ? kUInt16 : kInt32);
  append_number(bytes, sequences);
  append_number(bytes, std::uint64_t{starts.size()});
  for (const std::string* part : {&lengths, &begins, &documents}) bytes += *part;
  return bytes;
}

void write_tokens(const ConvertJob& job) {
  const std::size_t token_bytes = stored_token_bytes(job.from.info(), job.options);
  AtomicFile tokens(job.to / "train.bin");
  const auto starts = job.from.as_text() != nullptr ? write_tokens_of_text(job, token_bytes, tokens)
                                                    : write_tokens_of_tokens(job, token_bytes, tokens);
  tokens.commit();
  AtomicFile index(job.to / "train.idx");
  index.write(index_of_documents(starts, token_bytes));
  index.commit();
}

std::optional<bool> has_tokens_of(const Dataset& there, const Dataset& from, const ConvertOptions& options,
                                  const std::stop_token& stop) {
  const TokenDataset& tokens = *there.as_tokens();
  const TokenShape& shape = *tokens.info().tokens;
  const std::size_t token_bytes = stored_token_bytes(from.info(), options);
  if (shape.token_bytes != token_bytes || !shape.documents) return false;
  if (from.as_tokens() != nullptr) {
    if (document_starts(there) != document_starts(from)) return false;
    return has_content_of(there, from, options, stop);
  }
  const TextDataset& text = *from.as_text();
  if (shape.documents != text.info().text->documents) return false;
  std::span<const std::byte> left = tokens.bytes();
  const bool same = for_each_block(text, token_bytes, stop, [&](const TokenBlock& block) {
    if (block.bytes.size() > left.size() || !std::ranges::equal(block.bytes, left.first(block.bytes.size()))) {
      return false;
    }
    left = left.subspan(block.bytes.size());
    return true;
  });
  if (stop.stop_requested()) return std::nullopt;
  tokens.check_intact();
  return same && left.empty();
}

}  // namespace loadline
