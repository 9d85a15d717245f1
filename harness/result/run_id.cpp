#include "harness/result/run_id.h"

#include <fmt/format.h>

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

std::string make_run_id(std::chrono::system_clock::time_point time, std::uint64_t random) {
  const UtcTime t = utc(time);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z-{:06x}", t.year, t.month, t.day, t.hour, t.minute, t.second,
                     random & 0xffffff);
}

}  // namespace loadline
