// Text in a made-up language. Each word is followed by one of four others with unequal frequency, so that a model
// learns from the previous word. Now and then words of the same document repeat, so that it gains by looking back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/random.h"
#include "synthetic/generate/draw.h"
#include "synthetic/generate/generate.h"
#include "synthetic/generate/layout.h"

namespace loadline {
namespace {

constexpr std::size_t kWords = 512;
constexpr std::uint64_t kTongueKey = 0x746f6e677565ULL;  // one language, whatever the seed
constexpr std::size_t kLeastText = 24;                   // bytes of a document
constexpr std::uint32_t kOctaves = 5;                    // up to 32 times as many

struct Tongue {
  std::vector<std::string> words;
  std::array<std::array<std::uint16_t, kFollowers>, kWords> next{};
};

// Syllables of a consonant and a vowel, some of which have two bytes in UTF-8.
std::string make_word(Random& random) {
  constexpr std::string_view kConsonants = "bdfgklmnprstvz";
  constexpr std::array<std::string_view, 8> kVowels{"a", "e", "i", "o", "u", "ai", "é", "ö"};
  std::string word;
  for (std::uint32_t left = 1 + random.below(3); left > 0; --left) {
    word += kConsonants[random.below(kConsonants.size())];
    word += kVowels[random.below(kVowels.size())];
  }
  return word;
}

Tongue make_tongue() {
  Tongue tongue;
  Random random(kTongueKey);
  while (tongue.words.size() < kWords) {
    std::string word = make_word(random);
    if (std::ranges::find(tongue.words, word) == tongue.words.end()) tongue.words.push_back(std::move(word));
  }
  for (auto& of_one : tongue.next) {
    for (std::uint16_t& follower : of_one) follower = static_cast<std::uint16_t>(random.below(kWords));
  }
  return tongue;
}

const Tongue& tongue() {
  static const Tongue kOne = make_tongue();
  return kOne;
}

// Exactly `bytes` bytes: the last word may be cut, and half a character becomes a full stop.
std::string make_text(Random& random, std::size_t bytes) {
  const Tongue& language = tongue();
  std::string text;
  std::vector<std::uint16_t> said;
  auto word = static_cast<std::uint16_t>(random.below(kWords));
  const auto say = [&](std::uint16_t next) {
    if (!said.empty()) text += said.size() % 12 == 0 ? ". " : " ";
    text += language.words[next];
    said.push_back(next);
    word = next;
  };
  while (text.size() < bytes) {
    if (said.size() >= 12 && random.below(16) == 0) {
      const std::size_t from = random.below(static_cast<std::uint32_t>(said.size() - 6));
      for (std::size_t i = 0; i < 6; ++i) say(said[from + i]);
    } else {
      say(language.next[word][draw_follower(random)]);
    }
  }
  const auto is_inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U; };
  if (text.size() > bytes && is_inside(bytes)) text[bytes - 1] = '.';
  text.resize(bytes);
  if (text.back() == ' ') text.back() = '.';
  return text;
}

// Lengths of a page's texts; together with the bytes around each text they add up to the page.
template <typename Take>
void for_each_text(std::uint64_t key, std::size_t around, const Take& take) {
  Random random(key_of(key, 0));
  const std::size_t least = kLeastText + around;
  std::size_t left = kPageBytes;
  while (left > 0) {
    const std::size_t octave = kLeastText << random.below(kOctaves);
    std::size_t taken = octave + random.below(static_cast<std::uint32_t>(octave)) + around;
    if (left < taken + least) taken = left;
    take(taken - around);
    left -= taken;
  }
}

void fill_text_page(std::uint64_t key, std::string_view before, std::string_view behind,
                    std::span<std::uint8_t> record) {
  Random random(key_of(key, 1));
  auto out = record.begin();
  for_each_text(key, before.size() + behind.size(), [&](std::size_t bytes) {
    out = std::ranges::copy(before, out).out;
    out = std::ranges::copy(make_text(random, bytes), out).out;
    out = std::ranges::copy(behind, out).out;
  });
}

void append_pages(const std::string& name, const SplitPlan& split, std::string_view before, std::string_view behind,
                  std::vector<PlannedFile>& files) {
  files.push_back({.name = name,
                   .records = split.samples,
                   .record_bytes = kPageBytes,
                   .fill = [split, before, behind](std::size_t index, std::span<std::uint8_t> record) {
                     fill_text_page(picture_key(split, index), before, behind, record);
                   }});
}

void append_documents(const std::string& folder, const SplitPlan& split, std::vector<PlannedFile>& files) {
  std::size_t number = 0;
  for (std::size_t page = 0; page < split.samples; ++page) {
    const std::uint64_t key = picture_key(split, page);
    for_each_text(key, 1, [&](std::size_t bytes) {
      files.push_back({.name = fmt::format("{}/{:08}.txt", folder, number++),
                       .records = 1,
                       .record_bytes = bytes,
                       .fill = [document = key_of(key, 2, number)](std::size_t, std::span<std::uint8_t> record) {
                         Random random(document);
                         std::ranges::copy(make_text(random, record.size()), record.begin());
                       }});
    });
  }
}

}  // namespace

std::vector<PlannedFile> text_files(TextForm form, const SplitPlan& train, const SplitPlan& test) {
  std::vector<PlannedFile> files;
  for (const auto& [name, split] : {std::pair<std::string, const SplitPlan&>{"train", train}, {"val", test}}) {
    switch (form) {
      case TextForm::kLines: append_pages(name + ".txt", split, "", "\n", files); break;
      case TextForm::kJsonLines: append_pages(name + ".jsonl", split, R"({"text": ")", "\"}\n", files); break;
      case TextForm::kFiles: append_documents(name, split, files); break;
    }
  }
  return files;
}

}  // namespace loadline
