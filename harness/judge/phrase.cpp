#include "harness/judge/phrase.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace loadline {
namespace {

// Above this ratio of its two sides an interval is written by its ends, because one ± would mislead.
constexpr double kLopsided = 1.25;

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.front() == '-' && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
  return text;
}

// Decimals that show `digits` significant digits of `value`; none for zero.
int decimals_for(double value, int digits) {
  if (value == 0) return 0;
  return std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))));
}

// An end of an interval so wide that its digits mean nothing.
std::string end_of(double value, int decimals) {
  static constexpr double kFar = 1000;
  if (value > kFar) return "over 1000";
  if (value < -kFar) return "under -1000";
  return fixed(value, decimals);
}

bool leads_with_one(double value) {
  return value > 0 && value < 2 * std::pow(10.0, std::floor(std::log10(value)));
}

// `value` with its interval to the first digit of the interval, or two if the first is a 1, where rounding to one would
// change the width by up to a third; but no finer than `finest` decimals.
std::string with_interval(double value, const std::optional<Interval>& ci95, int finest, std::string_view unit) {
  if (!ci95) return fixed(value, finest) + std::string(unit);
  const double below = value - ci95->low;
  const double above = ci95->high - value;
  const double wider = std::max(below, above);
  const bool lopsided = wider > kLopsided * std::min(below, above);
  const int digits = lopsided || leads_with_one(wider) ? 2 : 1;
  const int decimals = wider > 0 ? std::min(finest, decimals_for(wider, digits)) : finest;
  const double last_place = std::pow(10.0, -decimals);
  if (lopsided && std::abs(above - below) > last_place)
    return fmt::format("{}{} ({} to {}{})", fixed(value, decimals), unit, end_of(ci95->low, decimals),
                       end_of(ci95->high, decimals), unit);
  // An interval finer than the last place shown is rounded up to it, not down to a false zero.
  const double shown = wider > 0 ? std::max(wider, last_place) : 0;
  return fmt::format("{} ± {}{}", fixed(value, decimals), fixed(shown, decimals), unit);
}

std::optional<Interval> scaled(const std::optional<Interval>& interval, double scale) {
  if (!interval) return std::nullopt;
  return Interval{scale * interval->low, scale * interval->high};
}

struct RateUnit {
  double size;
  std::string_view suffix;
};

const RateUnit& unit_of(double per_second) {
  static constexpr std::array kUnits{RateUnit{1e9, " G"}, RateUnit{1e6, " M"}, RateUnit{1e3, " k"}, RateUnit{1, ""}};
  return *std::find_if(kUnits.begin(), kUnits.end() - 1,
                       [&](const RateUnit& unit) { return per_second / unit.size >= 0.9995; });
}

}  // namespace

std::string percent(const Estimate& share) {
  const double value = 100 * share.value;
  const bool near_an_end = value < 10 || value > 90;  // where a share and what it leaves differ in tenths
  return with_interval(value, scaled(share.ci95, 100), share.ci95 || near_an_end ? 1 : 0, " %");
}

std::string plain_percent(double share) {
  return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::string factor(const Estimate& ratio) {
  const double value = ratio.value;
  if (std::abs(value) >= 100) {
    const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 1);
    if (!ratio.ci95) return fixed(std::round(value / step) * step, 0);
  }
  const bool few = std::abs(value) >= 1 && std::abs(value) < 10;
  return with_interval(value, ratio.ci95, decimals_for(value, few ? 3 : 2), "");
}

std::string efficiency(const Estimate& value) {
  return with_interval(value.value, value.ci95, 2, "");
}

std::string rate(double per_second) {
  const RateUnit& unit = unit_of(per_second);
  const double value = per_second / unit.size;
  return fmt::format("{}{}", fixed(value, value < 9.95 ? 1 : 0), unit.suffix);
}

std::string rate(const Estimate& per_second) {
  if (!per_second.ci95) return rate(per_second.value);
  const RateUnit& unit = unit_of(per_second.value);
  const double value = per_second.value / unit.size;
  return with_interval(value, scaled(per_second.ci95, 1 / unit.size), decimals_for(std::max(1.0, value), 4),
                       unit.suffix);
}

std::string duration(double seconds) {
  struct Unit {
    double seconds;
    std::string_view name;
  };
  static constexpr std::array kUnits{Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}};
  const auto unit =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& candidate) { return seconds >= candidate.seconds; });
  const Unit& chosen = unit == kUnits.end() ? kUnits.back() : *unit;
  const double value = seconds / chosen.seconds;
  return fmt::format("{} {}", fixed(value, std::min(2, decimals_for(value, 2))), chosen.name);
}

}  // namespace loadline
