// Parses JSON into values that can be walked; the readers of results and configurations use it. Only the parsing .cpp
// needs the JSON library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/error.h"

namespace loadline {

enum class JsonKind : std::uint8_t { kNull, kBool, kWhole, kNumber, kText, kList, kObject };

// A span of the document's unescaped keys and texts.
struct JsonText {
  std::size_t first = 0;
  std::size_t size = 0;
};

struct JsonNode {
  JsonKind kind = JsonKind::kNull;
  bool yes = false;         // kBool
  std::uint64_t whole = 0;  // kWhole: not negative
  double number = 0;        // kWhole, kNumber
  JsonText text = {};       // kText
  JsonText key = {};        // if it is a member of an object
  std::size_t items = 0;    // kList, kObject
  std::size_t end = 0;      // index after its last descendant
};

// Limits of a document, far above those of any result: files come from anybody, and a reader must not run out of
// memory.
inline constexpr std::size_t kMostJsonDepth = 64;
inline constexpr std::size_t kMostJsonValues = std::size_t{1} << 24;
inline constexpr std::size_t kMostJsonTextBytes = std::size_t{1} << 20;  // per text or key
inline constexpr double kMostJsonNumber = 1e30;                          // either sign: sums of squares stay finite

// All values in the order of the text, each container before its contents. Nesting depth does not grow the stack.
// Omits the member "benchmarks" of the outermost object, which repeats what is elsewhere in a result.
class JsonDocument {
 public:
  // Throws Error of this kind naming `source` if `text` is empty, truncated, not JSON, or beyond the limits above.
  JsonDocument(std::string_view text, std::string source, Error::Kind kind = Error::Kind::kFailed);

  const std::string& source() const { return source_; }
  Error::Kind error_kind() const { return error_kind_; }
  // Version of the schema that the document was written with; nullopt until it is set, and for documents without
  // versions.
  std::optional<int> schema_version() const { return schema_version_; }
  void set_schema_version(int version) { schema_version_ = version; }
  const JsonNode& node(std::size_t index) const { return nodes_[index]; }
  std::string_view view(const JsonText& text) const { return std::string_view(texts_).substr(text.first, text.size); }

 private:
  friend class JsonCollector;

  std::string source_;
  Error::Kind error_kind_;
  std::optional<int> schema_version_;
  std::vector<JsonNode> nodes_;
  std::string texts_;
};

// Points to one value of a document and knows the path to it. Borrows the document and the readers on that path.
// Serves as the reading half for fields() of record.h: each call passes the member of this name to a field.
class JsonReader {
 public:
  static constexpr bool kReads = true;

  explicit JsonReader(const JsonDocument& document) : document_(&document), next_member_(1) {}

  // "result.json: cells[3].workers: want a whole number, got null".
  Error refusal(std::string_view wanted) const;
  // The same with another sentence after the place.
  Error error(std::string_view sentence) const;
  // "text 'abc'", "null", "a list": this value, for a message.
  std::string description() const;

  JsonKind kind() const { return node().kind; }
  std::size_t items() const { return node().items; }

  // The member of this name; throws Error if there is none, or if this is not an object. Members requested in
  // document order are found at once.
  JsonReader member(std::string_view key);
  std::optional<JsonReader> find(std::string_view key);
  // Whether the document was written with an earlier version of the schema than `version`.
  bool written_before(int version) const { return document_->schema_version().value_or(version) < version; }

  // Each throws refusal() if the value is something else.
  bool as_bool() const;
  double as_number() const;
  std::uint64_t as_whole(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  std::string_view as_text() const;

  // Calls visit(reader, index) for each item of a list.
  template <typename Visit>
  void each_item(Visit visit) const {
    if (kind() != JsonKind::kList) throw refusal("a list");
    std::size_t at = index_ + 1;
    for (std::size_t i = 0; i < items(); ++i) {
      JsonReader item(*document_, at, this, {}, i);
      visit(item, i);
      at = document_->node(at).end;
    }
  }
  // Calls visit(key, reader) for each member of an object.
  template <typename Visit>
  void each_member(Visit visit) const {
    if (kind() != JsonKind::kObject) throw refusal("an object");
    for (std::size_t at = index_ + 1; at < node().end; at = document_->node(at).end) {
      const std::string_view key = document_->view(document_->node(at).key);
      JsonReader value(*document_, at, this, key, kNoItem);
      visit(key, value);
    }
  }

 private:
  static constexpr std::size_t kNoItem = std::numeric_limits<std::size_t>::max();

  JsonReader(const JsonDocument& document, std::size_t index, const JsonReader* up, std::string_view key,
             std::size_t item)
      : document_(&document), index_(index), next_member_(index + 1), up_(up), key_(key), item_(item) {}

  const JsonNode& node() const { return document_->node(index_); }
  std::string place() const;

  const JsonDocument* document_;
  std::size_t index_ = 0;
  std::size_t next_member_;
  const JsonReader* up_ = nullptr;  // null: the outermost value
  std::string_view key_;
  std::size_t item_ = kNoItem;
};

}  // namespace loadline
