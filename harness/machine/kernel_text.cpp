#include "harness/machine/kernel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace loadline {
namespace {

// Linux allows 8,192 CPUs on the largest machines; a list beyond this bound is not a CPU list.
constexpr std::uint64_t kMostCpus = 65'536;
constexpr std::string_view kBlanks = " \t\r\n";

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  text = trimmed(text);
  Number value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<unsigned> shift_of_unit(std::string_view unit) {
  if (unit.empty()) return 0;
  if (unit == "K" || unit == "kB") return 10;
  if (unit == "M") return 20;
  if (unit == "G") return 30;
  return std::nullopt;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  return split(text, '\n');
}

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  return parse_number<std::uint64_t>(text);
}

std::optional<double> parse_decimal(std::string_view text) {
  return parse_number<double>(text);
}

std::optional<std::uint64_t> parse_size_bytes(std::string_view text) {
  text = trimmed(text);
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_whole(text.substr(0, digits));
  const auto shift = shift_of_unit(trimmed(text.substr(digits)));
  if (!number || !shift || *number > std::numeric_limits<std::uint64_t>::max() >> *shift) return std::nullopt;
  return *number << *shift;
}

std::optional<std::string_view> value_of(std::string_view text, std::string_view key, char separator) {
  for (const std::string_view line : lines_of(text)) {
    const auto end = line.find(separator);
    if (end == std::string_view::npos || trimmed(line.substr(0, end)) != key) continue;
    const std::string_view value = trimmed(line.substr(end + 1));
    return value.empty() ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}

std::optional<std::string> parse_selected(std::string_view text) {
  const auto open = text.find('[');
  const auto close = text.find(']', std::min(open, text.size()));
  if (close == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(open + 1, close - open - 1));
}

std::optional<std::vector<std::size_t>> parse_cpu_list(std::string_view text) {
  std::vector<std::size_t> cpus;
  for (const std::string_view range : split(trimmed(text), ',')) {
    const auto dash = range.find('-');
    const auto first = parse_whole(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_whole(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last >= kMostCpus) return std::nullopt;
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus.empty() ? std::nullopt : std::optional(std::move(cpus));
}

std::string format_cpu_list(const std::vector<std::size_t>& cpus) {
  std::string list;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!list.empty()) list += ',';
    list += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return list;
}

}  // namespace loadline
