// The name of a run, and time as text.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace loadline {

// ISO 8601 in UTC, to the second: "2026-11-21T09:58:00Z".
std::string utc_timestamp(std::chrono::system_clock::time_point time);
// The inverse; nullopt for any other text.
std::optional<std::chrono::system_clock::time_point> parse_utc_timestamp(const std::string& text);

// "20261121T095800Z-3fa2c1": sorts by time; the low 24 bits of `random` distinguish runs of the same second.
std::string make_run_id(std::chrono::system_clock::time_point time, std::uint64_t random);

}  // namespace loadline
