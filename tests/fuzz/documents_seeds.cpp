#include <string>

#include "tests/fuzz/replay.h"

namespace loadline::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kPacked = 0x40;
constexpr std::uint8_t kByModel = 0x80;

Bytes two_files(std::uint8_t kind, std::uint8_t how, const std::string& first, const std::string& second) {
  std::string all{static_cast<char>(kind), static_cast<char>(how), static_cast<char>(first.size() & 0xffU),
                  static_cast<char>(first.size() >> 8U & 0xffU)};
  all += first + second;
  return {all.begin(), all.end()};
}

}  // namespace

std::vector<Bytes> fuzz_seeds() {
  const std::string lines = "one line of words\n\ntwo\r\nväärä\xf0\x9f\x8c\x8d no end";
  const std::string longer = std::string(90, 'x') + " y\n" + std::string(40, ' ') + "\n";
  const std::string json = R"({"text": "a \"quoted\" t\u00e9xt \ud83c\udf0d"})"
                           "\n"
                           R"({"id": [1, {"text": 2}], "text": "second", "more": null})"
                           "\n";
  std::vector<Bytes> seeds;
  for (const std::uint8_t how : {std::uint8_t{7}, std::uint8_t{7 | kPacked}, std::uint8_t{15 | kByModel},
                                 std::uint8_t{15 | kByModel | kPacked}}) {
    seeds.push_back(two_files(0, how, lines, longer));
    seeds.push_back(two_files(1, how, json, R"({"text": ""})"));
    seeds.push_back(two_files(2, how, lines, longer));
    seeds.push_back(two_files(3, how, lines, ""));
  }
  return seeds;
}

}  // namespace loadline::test
