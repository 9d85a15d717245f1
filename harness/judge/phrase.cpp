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

// An end of an interval, which may be so wide that its digits mean nothing; `middle`: the value that has the interval.
std::string end_of(double value, double middle, int decimals) {
  static constexpr double kFar = 10'000;
  if (std::abs(middle) > kFar || std::abs(value) <= kFar) return fixed(value, decimals);
  return value > 0 ? "over 10000" : "under -10000";
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
  // ± shows the wider side on both, and so may reach to zero where the interval does not.
  const double nearest = std::min(std::abs(ci95->low), std::abs(ci95->high));
  const bool one_sign = (ci95->low > 0 || ci95->high < 0) && nearest >= 0.5 * std::pow(10.0, -finest);
  const bool hides_sign = one_sign && wider >= std::abs(value);
  const bool lopsided = wider > kLopsided * std::min(below, above);
  const int digits = lopsided || leads_with_one(wider) ? 2 : 1;
  const int shown_places = hides_sign ? decimals_for(nearest, 1) : decimals_for(wider, digits);
  const int decimals = wider > 0 ? std::min(finest, shown_places) : finest;
  const double last_place = std::pow(10.0, -decimals);
  if (hides_sign || (lopsided && std::abs(above - below) > last_place))
    return fmt::format("{}{} ({} to {}{})", fixed(value, decimals), unit, end_of(ci95->low, value, decimals),
                       end_of(ci95->high, value, decimals), unit);
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

struct TimeUnit {
  double seconds;
  std::string_view suffix;
};

const TimeUnit& time_unit_of(double seconds) {
  static constexpr std::array kUnits{TimeUnit{1, " s"}, TimeUnit{1e-3, " ms"}, TimeUnit{1e-6, " µs"}};
  return *std::find_if(kUnits.begin(), kUnits.end() - 1, [&](const TimeUnit& unit) { return seconds >= unit.seconds; });
}

// The last place that factor() shows without an interval.
double factor_step(double value) {
  const int digits = value >= 1 && value < 10 ? 3 : 2;
  return std::pow(10.0, std::floor(std::log10(value)) - digits + 1);
}

// A figure without an interval cannot have one that is too wide; such figures appear only in tables.
template <typename Telling>
bool too_noisy(const Estimate& figure, Telling telling) {
  return figure.ci95 && !telling(figure);
}

// What is closer than this to none or to all of the time would be rounded to "0.0 %" or "100.0 %".
constexpr double kAlmostNone = 0.001;

// A stall of 100 % would leave no throughput, and is what rounding makes of these.
bool is_almost_all(const Estimate& stall) {
  return stall.ci95 && stall.ci95->low > 1 - kAlmostNone && stall.ci95->high < 1;
}

}  // namespace

bool telling_share(const Estimate& share) {
  static constexpr double kWidest = 0.5;
  return share.ci95 && share.ci95->high - share.ci95->low <= kWidest;
}

bool telling_factor(const Estimate& ratio) {
  static constexpr double kWidest = 4;
  return ratio.ci95 && ratio.ci95->low > 0 && ratio.ci95->high <= kWidest * ratio.ci95->low;
}

bool telling_efficiency(const Estimate& value) {
  return value.ci95 && value.ci95->high - value.ci95->low <= 1;
}

std::string percent(const Estimate& share) {
  if (too_noisy(share, telling_share)) return std::string(kTooNoisy);
  const double value = 100 * share.value;
  const bool near_an_end = value < 10 || value > 90;  // where a share and what it leaves differ in tenths
  return with_interval(value, scaled(share.ci95, 100), share.ci95 || near_an_end ? 1 : 0, " %");
}

std::string stall_words(const Estimate& stall) {
  return is_almost_all(stall) ? "more than " + percent_at_least(1 - kAlmostNone) : percent(stall);
}

std::string utilisation_words(const Estimate& utilisation) {
  const bool almost_none = utilisation.ci95 && utilisation.ci95->high < kAlmostNone;
  return almost_none ? "less than " + percent_at_most(kAlmostNone) : percent(utilisation);
}

std::string stall_text(const Estimate& stall) {
  if (is_almost_all(stall)) return "> " + percent_at_least(1 - kAlmostNone);
  std::string text = percent(stall);
  if (!text.starts_with('-')) return text;
  return stall.ci95 && stall.ci95->high > 0 ? "< " + percent_at_most(stall.ci95->high) : "0 %";
}

std::string percent_beside(const Estimate& share, double limit) {
  std::string text = percent(share);
  if (!share.ci95 || text == kTooNoisy) return text;
  const auto [low, high] = *share.ci95;
  // As much as the wider side and rounding to the last place shown can hide.
  const double place = text.find('.') == std::string::npos ? 0.01 : 0.001;
  const double shown = std::max({share.value - low, high - share.value, 0.0}) + place;
  const bool outside = limit <= low || limit > high;
  const bool seems_inside = limit > share.value - shown && limit < share.value + shown;
  if (!outside || !seems_inside) return text;
  return fmt::format("{} % ({} to {} %)", fixed(100 * share.value, 1), fixed(100 * low, 1), fixed(100 * high, 1));
}

std::string percent_at_most(double share) {
  // A value that is a tenth, except for the last bits of a double, stays one.
  return fmt::format("{} %", fixed(std::ceil(1000 * share - 1e-6) / 10, 1));
}

std::string percent_at_least(double share) {
  return fmt::format("{} %", fixed(std::floor(1000 * share + 1e-6) / 10, 1));
}

std::string plain_percent(double share) {
  return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::string factor(const Estimate& ratio) {
  if (too_noisy(ratio, telling_factor)) return std::string(kTooNoisy);
  const double value = ratio.value;
  if (std::abs(value) >= 100) {
    const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 1);
    if (!ratio.ci95) return fixed(std::round(value / step) * step, 0);
  }
  const bool few = std::abs(value) >= 1 && std::abs(value) < 10;
  return with_interval(value, ratio.ci95, decimals_for(value, few ? 3 : 2), "");
}

std::string factor_at_least(double low) {
  const double step = factor_step(low);
  return factor({std::floor(low / step * (1 + 1e-9)) * step, std::nullopt});
}

std::string factor_at_most(double high) {
  const double step = factor_step(high);
  return factor({std::ceil(high / step * (1 - 1e-9)) * step, std::nullopt});
}

std::string efficiency(const Estimate& value) {
  if (too_noisy(value, telling_efficiency)) return std::string(kTooNoisy);
  return with_interval(value.value, value.ci95, 2, "");
}

std::string plural(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string_view was(std::size_t count) {
  return count == 1 ? "was" : "were";
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
  const TimeUnit& unit = time_unit_of(seconds);
  const double value = seconds / unit.seconds;
  return fmt::format("{}{}", fixed(value, std::min(2, decimals_for(value, 2))), unit.suffix);
}

std::string duration_at_most(double seconds) {
  const TimeUnit& unit = time_unit_of(seconds);
  const double value = seconds / unit.seconds;
  const int decimals = std::min(2, decimals_for(value, 2));
  const double places = std::pow(10, decimals);
  // A value that has no more digits than these, except for the last bits of a double, stays one.
  return fmt::format("{}{}", fixed(std::floor(value * places + 1e-6) / places, decimals), unit.suffix);
}

std::string measured_duration(const Estimate& seconds) {
  if (!seconds.ci95) return duration(seconds.value);
  const TimeUnit& unit = time_unit_of(seconds.value);
  return with_interval(seconds.value / unit.seconds, scaled(seconds.ci95, 1 / unit.seconds), 2, unit.suffix);
}

std::string time_text(double seconds) {
  constexpr long long kHour = 3600;
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < kHour) return fmt::format("{} min {} s", whole / 60, whole % 60);
  const auto minutes = std::llround(seconds / 60);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace loadline
