// Text: documents that are turned into tokens on demand.
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

// Bytes [first, end) of a stored document. For a document in JSON, the same fraction of the text in it.
struct TextPart {
  SampleIndex document = 0;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  bool ends = false;  // whether it includes the document's end

  bool operator==(const TextPart&) const = default;
};

// The rule of Sequences::kPacked: puts documents one after another, each with one place more for its end, and cuts
// this into rows of `row_bytes`. Each byte and each end is in exactly one row.
class PackedRows {
 public:
  PackedRows(std::span<const std::uint32_t> lengths, std::size_t row_bytes);

  std::size_t size() const;  // rows; the last may be short
  // Calls visitor(TextPart) for each part of a row, in order, at least once. Allocates nothing.
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
  std::vector<std::uint64_t> begins_;  // begin of each document, then the end of the last
};

// A sample is a document (Sequences::kPadded) or a row of PackedRows (kPacked); labels would all be 0.
class TextDataset final : public Dataset {
 public:
  // `json_key`: for documents in JSON.
  TextDataset(DatasetInfo info, std::unique_ptr<DocumentStore> documents, std::shared_ptr<const Tokenizer> tokenizer,
              std::string json_key);

  const TextDataset* as_text() const override { return this; }
  const DocumentStore& documents() const { return *documents_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const std::string& json_key() const { return json_key_; }
  bool is_json() const { return info().text->stored_as == TextDocuments::kJsonLines; }

  // Calls visitor(TextPart) for each part of a sample, in order, at least once. Allocates nothing. Any thread.
  template <typename Visitor>
  void visit_parts(SampleIndex index, const Visitor& visitor) const {
    if (rows_) return rows_->visit(index, visitor);
    visitor(TextPart{.document = index, .first = 0, .end = documents_->lengths()[index], .ends = true});
  }

  std::span<const std::uint32_t> lengths() const override;
  std::string describe(SampleIndex index) const override;
  // Throws Error: a sample is not stored as one piece of bytes.
  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override;
  // Visits the documents as stored, in order.
  bool visit(const std::function<bool(StoredSample)>& visitor) const override;
  void check_intact() const override { documents_->check_intact(); }
  void check_files() const override { documents_->check_files(); }
  std::vector<std::span<const std::byte>> memory() const override { return documents_->memory(); }

 private:
  void forget_samples() const override { documents_->forget_pages(); }

  std::unique_ptr<DocumentStore> documents_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string json_key_;
  std::unique_ptr<PackedRows> rows_;  // null if samples are documents
};

// Reads the text of parts for one thread: reads it, extracts it from JSON and cuts it at the part's ends. Text with
// one token per byte is cut at exactly that byte; other text at the next white space within 64 bytes, otherwise after
// the character. Neighbouring parts are cut at the same place.
class TextReader {
 public:
  // `documents` must outlive it.
  TextReader(const DocumentStore& documents, bool json, std::string json_key, bool cut_anywhere);

  // Reads the part; mapped bytes are not touched yet. Throws Error if storage fails.
  void read(const TextPart& part);
  // The text of the part read last, valid until the next read(). Throws Error with only the reason if the document is
  // not UTF-8 or its JSON lacks that text.
  std::string_view text();

 private:
  const DocumentStore& documents_;
  std::unique_ptr<DocumentReader> reader_;
  bool json_;
  std::string json_key_;
  bool cut_anywhere_;
  TextPart part_;
  std::string_view stored_;
  std::size_t stored_first_ = 0;  // byte of the document at which stored_ begins
  std::string decoded_;
};

}  // namespace loadline
