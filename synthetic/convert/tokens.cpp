// Writes text as tokens: train.bin and its index, as language model trainers read them.
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
  std::vector<std::int32_t> lengths;  // tokens per document
};

std::size_t token_bytes_for(const TextShape& text) {
  return text.vocabulary <= std::size_t{1} << 16 ? 2 : 4;
}

// One per thread.
class BlockMaker {
 public:
  explicit BlockMaker(const TextDataset& text)
      : text_(text),
        token_bytes_(token_bytes_for(*text.info().text)),
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
    if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      throw Error(fmt::format("cannot convert {}: it has {} tokens, and an index counts up to 2^31 - 1",
                              text_.documents().where(document), count));
    }
    const std::size_t before = block.bytes.size();
    block.bytes.resize(before + count * token_bytes_);
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(block.bytes.data() + before + i * token_bytes_, &tokens_[i], token_bytes_);  // little-endian
    }
    block.lengths.push_back(static_cast<std::int32_t>(count));
  }

  const TextDataset& text_;
  const std::size_t token_bytes_;
  std::unique_ptr<Encoder> encoder_;
  TextReader reader_;
  std::vector<std::int32_t> tokens_;
};

// Makes blocks on several threads and passes them to `consume` in order until that returns false. Returns false then,
// and if a stop was requested.
bool for_each_block(const TextDataset& text, const std::stop_token& stop,
                    const std::function<bool(const TokenBlock&)>& consume) {
  constexpr std::size_t kTextBlockBytes = std::size_t{1} << 18;
  const auto lengths = text.documents().lengths();
  const std::size_t threads = std::max<std::size_t>(affinity_cpus().size(), 1);
  std::vector<BlockMaker> makers;
  for (std::size_t i = 0; i < threads; ++i) makers.emplace_back(text);
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

// In the format of token_index.h, with one sequence per document.
std::string index_of_documents(const std::vector<std::int32_t>& lengths, std::size_t token_bytes) {
  constexpr std::uint8_t kInt32 = 4;
  constexpr std::uint8_t kUInt16 = 8;
  std::string bytes{"MMIDIDX\0\0", 9};
  append_number(bytes, std::uint64_t{1});
  append_number(bytes, token_bytes == 2 ? kUInt16 : kInt32);
  append_number(bytes, std::uint64_t{lengths.size()});
  append_number(bytes, std::uint64_t{lengths.size() + 1});
  for (const std::int32_t length : lengths) append_number(bytes, length);
  std::int64_t begin = 0;
  for (const std::int32_t length : lengths) {
    append_number(bytes, begin);
    begin += std::int64_t{length} * static_cast<std::int64_t>(token_bytes);
  }
  for (std::int64_t document = 0; document <= static_cast<std::int64_t>(lengths.size()); ++document) {
    append_number(bytes, document);
  }
  return bytes;
}

}  // namespace

std::string tokens_obstacle(const Dataset& from) {
  return from.info().text ? "" : "tokens, which are made only from text";
}

void write_tokens(const ConvertJob& job) {
  const TextDataset& text = *job.from.as_text();
  AtomicFile tokens(job.to / "train.bin");
  std::vector<std::int32_t> lengths;
  const bool complete = for_each_block(text, job.stop, [&](const TokenBlock& block) {
    tokens.write(block.bytes);
    lengths.insert(lengths.end(), block.lengths.begin(), block.lengths.end());
    if (job.progress) job.progress(lengths.size(), text.info().text->documents);
    return true;
  });
  if (!complete) throw conversion_interrupted(job.shown);
  tokens.commit();
  AtomicFile index(job.to / "train.idx");
  index.write(index_of_documents(lengths, token_bytes_for(*text.info().text)));
  index.commit();
}

std::optional<bool> holds_tokens_of(const Dataset& there, const Dataset& from, const std::stop_token& stop) {
  const TextDataset& text = *from.as_text();
  const TokenDataset& tokens = *there.as_tokens();
  const TokenShape& shape = *tokens.info().tokens;
  if (shape.documents != text.info().text->documents || shape.token_bytes != token_bytes_for(*text.info().text)) {
    return false;
  }
  std::span<const std::byte> left = tokens.bytes();
  const bool same = for_each_block(text, stop, [&](const TokenBlock& block) {
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
