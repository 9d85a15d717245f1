#include "harness/machine/run_id.h"

#include <fmt/format.h>

#include <cstdio>

namespace loadline {
namespace {

struct UtcTime {
  int year;
  unsigned month;
  unsigned day;
  long hour;
  long minute;
  long second;
};

UtcTime utc(std::chrono::system_clock::time_point time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return {static_cast<int>(date.year()),     static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()), clock.hours().count(),
          clock.minutes().count(),           clock.seconds().count()};
}

}  // namespace

std::string utc_timestamp(std::chrono::system_clock::time_point time) {
  const UtcTime t = utc(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", t.year, t.month, t.day, t.hour, t.minute, t.second);
}

std::optional<std::chrono::system_clock::time_point> parse_utc_timestamp(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  long hour = 0;
  long minute = 0;
  long second = 0;
  constexpr int kParts = 6;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2uT%2ld:%2ld:%2ldZ", &year, &month, &day, &hour, &minute, &second) !=
      kParts) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  const std::chrono::system_clock::time_point time = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                                                     std::chrono::minutes(minute) + std::chrono::seconds(second);
  // Formatting it again must give the same text: this rejects trailing text and a 25th hour.
  return utc_timestamp(time) == text ? std::optional(time) : std::nullopt;
}

std::string make_run_id(std::chrono::system_clock::time_point time, std::uint64_t random) {
  const UtcTime t = utc(time);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z-{:06x}", t.year, t.month, t.day, t.hour, t.minute, t.second,
                     random & 0xffffff);
}

}  // namespace loadline
