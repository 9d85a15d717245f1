// Parts of documents: those of each sample, and their text.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loaders/datasets/text.h"
#include "loaders/error.h"
#include "loaders/json/line.h"
#include "loaders/transforms/utf8.h"

namespace loadline {
namespace {

constexpr std::size_t kMostOfACharacter = 4;
constexpr std::size_t kSpaceWithin = 64;
constexpr std::size_t kBehindCut = kSpaceWithin + kMostOfACharacter;  // bytes that decide the place of a cut

// A document, or the part of one from byte `base` on.
struct TextWindow {
  std::string_view text;
  std::size_t base = 0;
  std::size_t length = 0;  // of the document

  char at(std::size_t place) const { return text[place - base]; }
  std::size_t end() const { return base + text.size(); }
  std::string_view between(std::size_t first, std::size_t end) const { return text.substr(first - base, end - first); }
};

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// The first byte from here on that begins a character.
std::size_t character_at(const TextWindow& window, std::size_t place) {
  const std::size_t most = std::min(window.end(), place + kMostOfACharacter - 1);
  while (place < most && continues_character(window.at(place))) ++place;
  return place;
}

std::size_t cut_near(const TextWindow& window, std::size_t place) {
  if (place == 0 || place >= window.length) return std::min(place, window.length);
  const std::size_t character = character_at(window, place);
  const std::size_t most = std::min(window.length, character + kSpaceWithin);
  for (std::size_t i = character; i < most; ++i) {
    if (is_space(window.at(i))) return i;
  }
  return character;
}

void check_utf8(const TextWindow& window, std::size_t first, std::size_t end) {
  if (first >= end) return;
  for (std::size_t i = 0; i + 1 < kMostOfACharacter && first > window.base && continues_character(window.at(first));
       ++i)
    --first;
  if (end < window.length) end = character_at(window, end);
  const std::string_view text = window.between(first, end);
  if (const std::size_t valid = valid_utf8(text); valid < text.size()) {
    throw Error(fmt::format("it is not UTF-8 at its byte {}", first + valid));
  }
}

}  // namespace

PackedRows::PackedRows(std::span<const std::uint32_t> lengths, std::size_t row_bytes) : row_bytes_(row_bytes) {
  begins_.reserve(lengths.size() + 1);
  std::uint64_t sum = 0;
  for (const std::uint32_t length : lengths) {
    begins_.push_back(sum);
    sum += std::uint64_t{length} + 1;
  }
  begins_.push_back(sum);
}

std::size_t PackedRows::size() const {
  return static_cast<std::size_t>((begins_.back() + row_bytes_ - 1) / row_bytes_);
}

TextPart PackedRows::part_at(std::uint64_t at, std::size_t document, std::uint64_t row_end) const {
  const std::uint64_t begin = begins_[document];
  const std::uint64_t behind = begins_[document + 1];  // the end's place is the last one before it
  const std::uint64_t end = std::min(row_end, behind);
  return {.document = static_cast<SampleIndex>(document),
          .first = static_cast<std::uint32_t>(at - begin),
          .end = static_cast<std::uint32_t>(std::min(end, behind - 1) - begin),
          .ends = end == behind};
}

TextReader::TextReader(const DocumentStore& documents, bool json, std::string json_key, bool cut_anywhere)
    : documents_(documents),
      reader_(documents.make_reader()),
      json_(json),
      json_key_(std::move(json_key)),
      cut_anywhere_(cut_anywhere) {}

void TextReader::read(const TextPart& part) {
  part_ = part;
  const std::size_t length = documents_.lengths()[part.document];
  stored_first_ = json_ ? 0 : part.first - std::min<std::size_t>(part.first, kMostOfACharacter - 1);
  const std::size_t end = json_ ? length : std::min(length, part.end + kBehindCut);
  stored_ = reader_->read(part.document, stored_first_, end);
}

std::string_view TextReader::text() {
  const std::size_t length = documents_.lengths()[part_.document];
  std::size_t first = part_.first;
  std::size_t end = part_.end;
  TextWindow window{.text = stored_, .base = stored_first_, .length = length};
  if (json_) {
    read_json_text(stored_, json_key_, decoded_);
    window = {.text = decoded_, .base = 0, .length = decoded_.size()};
    // The lengths are below 2^32, so the products fit 64 bits.
    first = first * decoded_.size() / length;
    end = end * decoded_.size() / length;
  }
  if (!cut_anywhere_) {
    first = cut_near(window, first);
    end = std::max(first, cut_near(window, end));
  }
  if (!json_) check_utf8(window, first, end);  // the JSON parser has checked it
  return window.between(first, end);
}

}  // namespace loadline
