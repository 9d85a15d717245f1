// Text: documents, of which tokens are made as they are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/text_documents.h"
#include "loaders/transforms/tokenizer.h"

namespace loadline {

// Bytes [first, end) of a document as it is stored. Where one is of JSON, the same share of the text in it.
struct TextPart {
  SampleIndex document = 0;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  bool ends = false;  // the document's end is in it, too

  bool operator==(const TextPart&) const = default;
};

// Documents one behind the other, each with one place more for its end, cut into rows of so many bytes: the rule of
// Sequences::kPacked. Each byte and each end is in one row.
class PackedRows {
 public:
  PackedRows(std::span<const std::uint32_t> lengths, std::size_t row_bytes);

  std::size_t size() const;  // rows; the last may be short
  // Calls visitor(TextPart) for what is in a row, in order: at least once. Allocates nothing.
  template <typename Visitor>
  void visit(std::size_t row, const Visitor& visitor) const {
    std::uint64_t at = std::uint64_t{row} * row_bytes_;
    const std::uint64_t row_end = std::min<std::uint64_t>(at + row_bytes_, begins_.back());
    auto document = static_cast<std::size_t>(std::ranges::upper_bound(begins_, at) - begins_.begin()) - 1;
    for (; at < row_end; ++document) {
      visitor(part_at(at, document, row_end));
      at = begins_[document + 1];
    }
  }

 private:
  TextPart part_at(std::uint64_t at, std::size_t document, std::uint64_t row_end) const;

  std::size_t row_bytes_;
  std::vector<std::uint64_t> begins_;  // of each document, and where the last ends
};

// A sample is a document (Sequences::kPadded) or a row of PackedRows (kPacked); labels would all be 0.
class TextDataset final : public Dataset {
 public:
  // `json_key`: of documents in JSON.
  TextDataset(DatasetInfo info, std::unique_ptr<DocumentStore> documents, std::shared_ptr<const Tokenizer> tokenizer,
              std::string json_key);

  const TextDataset* as_text() const override { return this; }
  const DocumentStore& documents() const { return *documents_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const std::string& json_key() const { return json_key_; }
  bool is_json() const { return info().text->stored_as == TextDocuments::kJsonLines; }

  // Calls visitor(TextPart) for what is in a sample, in order: at least once. Allocates nothing. Any thread.
  template <typename Visitor>
  void visit_parts(SampleIndex index, const Visitor& visitor) const {
    if (rows_) return rows_->visit(index, visitor);
    visitor(TextPart{.document = index, .first = 0, .end = documents_->lengths()[index], .ends = true});
  }

  std::span<const std::uint32_t> lengths() const override;
  std::string describe(SampleIndex index) const override;
  // A sample is not stored as one piece of bytes. Throws Error.
  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override;
  // The documents, as they are stored, in order.
  bool visit(const std::function<bool(StoredSample)>& visitor) const override;
  void check_intact() const override { documents_->check_intact(); }
  void check_files() const override { documents_->check_files(); }
  void forget_pages() const override { documents_->forget_pages(); }
  std::vector<std::span<const std::byte>> memory() const override { return documents_->memory(); }

 private:
  std::unique_ptr<DocumentStore> documents_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string json_key_;
  std::unique_ptr<PackedRows> rows_;  // null where samples are documents
};

// One thread's way to the text of parts: read, taken out of JSON, cut where a part begins and ends. Text that becomes
// one token a byte is cut at that byte; other text at the next white space within 64 bytes, or else behind the
// character: the same for the part that ends there and the one that begins.
class TextReader {
 public:
  // What it reads of outlives it.
  TextReader(const DocumentStore& documents, bool json, std::string json_key, bool cut_anywhere);

  // Reads the part; what is mapped is not touched yet. Throws Error where storage fails.
  void read(const TextPart& part);
  // Of the part read last, until the next is. Throws Error saying only why where the document is corrupt: no UTF-8, or
  // no such JSON.
  std::string_view text();

 private:
  const DocumentStore& documents_;
  std::unique_ptr<DocumentReader> reader_;
  bool json_;
  std::string json_key_;
  bool cut_anywhere_;
  TextPart part_;
  std::string_view stored_;
  std::size_t stored_first_ = 0;  // byte of the document that stored_ begins with
  std::string decoded_;
};

}  // namespace loadline
