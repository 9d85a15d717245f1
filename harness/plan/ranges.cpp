#include "harness/plan/ranges.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>

#include "loaders/error.h"

namespace loadline {
namespace {

class RangeReader {
 public:
  RangeReader(std::string_view option, std::string_view text) : option_(option), text_(text) {}

  std::size_t number(std::string_view digits) const {
    std::size_t value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status == std::errc{} && end == digits.data() + digits.size()) return value;
    throw wrong("want a whole number or a range such as 1:16, 8:64:8 or 1:64:*2");
  }

  Error wrong(std::string_view why) const { return usage_error(fmt::format("{}: {}, got '{}'", option_, why, text_)); }

 private:
  std::string_view option_;
  std::string_view text_;
};

}  // namespace

std::vector<std::size_t> expand_range(std::string_view option, std::string_view text) {
  const RangeReader reader(option, text);
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return {reader.number(text)};
  const std::size_t first = reader.number(text.substr(0, colon));
  std::string_view rest = text.substr(colon + 1);
  const auto second = rest.find(':');
  const std::size_t last = reader.number(rest.substr(0, second));
  std::string_view step = second == std::string_view::npos ? "1" : rest.substr(second + 1);
  const bool multiplies = step.starts_with('*');
  if (multiplies || step.starts_with('+')) step.remove_prefix(1);
  const std::size_t by = reader.number(step);

  if (first > last) throw reader.wrong("the range is empty: its end comes before its start");
  if (by < (multiplies ? 2 : 1) || (multiplies && first == 0)) throw reader.wrong("the range never ends");
  std::vector<std::size_t> values;
  for (std::size_t value = first;;) {
    if (values.size() == kMostOfRange) {
      throw reader.wrong(fmt::format("the range has more than {} values", kMostOfRange));
    }
    values.push_back(value);
    const bool more = multiplies ? value <= last / by : by <= last - value;
    if (!more) return values;
    value = multiplies ? value * by : value + by;
  }
}

}  // namespace loadline
