// Text as Linux writes it under /proc and /sys. Pure functions. Text that does not parse gives nullopt, never zero.
// Returned views point into the given text and live as long as it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

std::string_view trimmed(std::string_view text);
// The non-empty parts between separators.
std::vector<std::string_view> split(std::string_view text, char separator);
std::vector<std::string_view> lines_of(std::string_view text);

// The whole text, without surrounding blanks, as one number.
std::optional<std::uint64_t> parse_whole(std::string_view text);
std::optional<double> parse_decimal(std::string_view text);
// "32K", "1M" or "16305012 kB" in bytes; a unit is a power of 1024, as the kernel means it.
std::optional<std::uint64_t> parse_size_bytes(std::string_view text);

// The value of the first line "key<separator>value" with exactly this key, blanks trimmed from both; nullopt also when
// the value is empty.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key, char separator = ':');

// The selected choice: "always [madvise] never" is "madvise".
std::optional<std::string> parse_selected(std::string_view text);

// CPU or node numbers, ascending: "0-3,8" is {0, 1, 2, 3, 8}.
std::optional<std::vector<std::size_t>> parse_cpu_list(std::string_view text);
std::string format_cpu_list(const std::vector<std::size_t>& cpus);

}  // namespace loadline
