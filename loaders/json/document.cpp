#include "loaders/json/document.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace loadline {

// Called by the library's parser, value by value.
class JsonCollector : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonCollector(JsonDocument& document, std::size_t text_bytes) : document_(document), text_bytes_(text_bytes) {}

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add({.kind = JsonKind::kBool, .yes = value}); }
  bool number_integer(number_integer_t value) override {
    return add({.kind = JsonKind::kNumber, .number = static_cast<double>(value)});
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add({.kind = JsonKind::kWhole, .whole = value, .number = static_cast<double>(value)});
  }
  bool number_float(number_float_t value, const string_t& text) override {
    if (std::abs(value) > kMostJsonNumber) refuse(fmt::format("the number {} is too large", text.substr(0, 40)));
    return add({.kind = JsonKind::kNumber, .number = value});
  }
  bool string(string_t& value) override {
    check_text(value);
    return add({.kind = JsonKind::kText, .text = skipping() ? JsonText() : keep(value)});
  }
  bool binary(binary_t& /*value*/) override { return false; }  // no JSON text has any
  bool start_object(std::size_t /*elements*/) override { return open(JsonKind::kObject); }
  bool key(string_t& value) override {
    check_text(value);
    if (skipping()) return true;
    if (open_.size() == 1 && value == "benchmarks") {
      skip_next_ = true;
      return true;
    }
    key_ = keep(value);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return open(JsonKind::kList); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& exception) override {
    constexpr int kTooLarge = 406;  // "number overflow"
    const std::string why = exception.id == kTooLarge
                                ? fmt::format("the number that ends at byte {} is too large", position)
                            : position > text_bytes_ ? std::string("it is cut short")
                                                     : fmt::format("byte {} is not valid here", position);
    throw Error(fmt::format("{}: not JSON: {}", document_.source(), why), document_.error_kind());
  }

 private:
  bool skipping() const { return skip_next_ || skipped_depth_ > 0; }

  JsonText keep(const std::string& text) {
    const JsonText kept{.first = document_.texts_.size(), .size = text.size()};
    document_.texts_ += text;
    return kept;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(fmt::format("{}: neither a result nor a configuration: {}", document_.source(), why),
                document_.error_kind());
  }

  void check_text(const std::string& text) const {
    if (text.size() <= kMostJsonTextBytes) return;
    refuse(fmt::format("it contains a text of {} bytes, want at most {}", text.size(), kMostJsonTextBytes));
  }

  bool add(JsonNode node) {
    if (++values_ > kMostJsonValues) refuse(fmt::format("it has more than {} values", kMostJsonValues));
    if (skipping()) {
      skip_next_ = false;
      return true;
    }
    if (!open_.empty()) ++document_.nodes_[open_.back()].items;
    node.key = std::exchange(key_, {});
    node.end = document_.nodes_.size() + 1;
    document_.nodes_.push_back(node);
    return true;
  }

  bool open(JsonKind kind) {
    if (open_.size() + skipped_depth_ == kMostJsonDepth) {
      refuse(fmt::format("its values are nested more than {} deep", kMostJsonDepth));
    }
    if (skipping()) {
      skip_next_ = false;
      ++skipped_depth_;
      return true;
    }
    add({.kind = kind});
    open_.push_back(document_.nodes_.size() - 1);
    return true;
  }

  bool close() {
    if (skipped_depth_ > 0) {
      --skipped_depth_;
      return true;
    }
    document_.nodes_[open_.back()].end = document_.nodes_.size();
    open_.pop_back();
    return true;
  }

  JsonDocument& document_;
  std::size_t text_bytes_;
  std::vector<std::size_t> open_;  // lists and objects, outermost first
  JsonText key_;
  std::size_t values_ = 0;
  bool skip_next_ = false;
  std::size_t skipped_depth_ = 0;
};

JsonDocument::JsonDocument(std::string_view text, std::string source, Error::Kind kind)
    : source_(std::move(source)), error_kind_(kind) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Error(fmt::format("{}: not JSON: it is empty", source_), error_kind_);
  }
  JsonCollector collector(*this, text.size());
  nlohmann::json::sax_parse(text, &collector);
}

std::string JsonReader::place() const {
  if (up_ == nullptr) return "";
  const std::string above = up_->place();
  if (item_ != kNoItem) return fmt::format("{}[{}]", above, item_);
  return above.empty() ? std::string(key_) : fmt::format("{}.{}", above, key_);
}

Error JsonReader::error(std::string_view sentence) const {
  const std::string where = place();
  return Error(fmt::format("{}: {}{}{}", document_->source(), where, where.empty() ? "" : ": ", sentence),
               document_->error_kind());
}

Error JsonReader::refusal(std::string_view wanted) const {
  return error(fmt::format("want {}, got {}", wanted, description()));
}

std::string JsonReader::description() const {
  constexpr std::size_t kMostText = 60;
  switch (kind()) {
    case JsonKind::kNull: return "null";
    case JsonKind::kBool: return node().yes ? "true" : "false";
    case JsonKind::kWhole: return fmt::format("{}", node().whole);
    case JsonKind::kNumber: return fmt::format("{}", node().number);
    case JsonKind::kText: {
      const auto text = document_->view(node().text);
      if (text.size() <= kMostText) return fmt::format("'{}'", text);
      std::size_t most = kMostText;
      while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80) --most;  // not within a character
      return fmt::format("'{}...'", text.substr(0, most));
    }
    case JsonKind::kList: return "a list";
    case JsonKind::kObject: return "an object";
  }
  return "";
}

std::optional<JsonReader> JsonReader::find(std::string_view key) {
  if (kind() != JsonKind::kObject) throw refusal("an object");
  const auto is_it = [&](std::size_t at) { return document_->view(document_->node(at).key) == key; };
  const std::size_t end = node().end;
  std::size_t at = next_member_;
  if (at >= end || !is_it(at)) {
    for (at = index_ + 1; at < end && !is_it(at);) at = document_->node(at).end;
    if (at >= end) return std::nullopt;
  }
  next_member_ = document_->node(at).end;
  return JsonReader(*document_, at, this, key, kNoItem);
}

JsonReader JsonReader::member(std::string_view key) {
  auto found = find(key);
  if (!found) throw error(fmt::format("'{}' is missing", key));
  return *found;
}

bool JsonReader::as_bool() const {
  if (kind() != JsonKind::kBool) throw refusal("true or false");
  return node().yes;
}

double JsonReader::as_number() const {
  if (kind() != JsonKind::kNumber && kind() != JsonKind::kWhole) throw refusal("a number");
  return node().number;
}

std::uint64_t JsonReader::as_whole(std::uint64_t most) const {
  if (kind() != JsonKind::kWhole) throw refusal("a whole number");
  if (node().whole > most) throw refusal(fmt::format("a whole number up to {}", most));
  return node().whole;
}

std::string_view JsonReader::as_text() const {
  if (kind() != JsonKind::kText) throw refusal("text");
  return document_->view(node().text);
}

}  // namespace loadline
