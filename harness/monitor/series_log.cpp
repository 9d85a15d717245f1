#include "harness/monitor/series_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace loadline {
namespace {

constexpr std::size_t kMostValues = 400'000;  // about 3 MB of JSON
constexpr std::size_t kFewestSamples = 128;
constexpr double kTickSeconds = 0.01;  // of the coarsest counters of time, those of /proc/stat

// Four digits are more than such numbers deserve, and a quarter of the file size.
double four_figures(double value) {
  if (!std::isfinite(value)) return kNotKnown;
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 3);
  double rounded = value;
  std::from_chars(text, written.ptr, rounded);
  return rounded;
}

double tenths_of_milliseconds(double seconds) {
  return std::round(seconds * 1e4) / 1e4;
}

// Combines two successive intervals; a value unknown in one is taken from the other.
double mean_of(double first, double first_seconds, double second, double second_seconds) {
  if (std::isnan(first)) return second;
  if (std::isnan(second)) return first;
  return four_figures((first * first_seconds + second * second_seconds) / (first_seconds + second_seconds));
}

}  // namespace

SeriesLog::SeriesLog(double period_seconds, std::vector<MonitorSource> sources, MonitorRecord earlier,
                     std::size_t most_samples)
    : sources_(std::move(sources)), record_(std::move(earlier)), most_samples_(most_samples) {
  record_.period_seconds = period_seconds;
  std::size_t numbers = 0;
  for (const MonitorSource& source : sources_) numbers += source.numbers;
  readings_.assign(numbers, kNotKnown);
  read_seconds_.assign(sources_.size(), kNotKnown);
  // The file does not hold shapes; the mean suits both.
  shapes_.assign(record_.series.size(), Shape::kRate);
}

double SeriesLog::period_seconds() const {
  return std::ldexp(record_.period_seconds, static_cast<int>(record_.halvings));
}

void SeriesLog::sample(const std::function<double()>& now_seconds) {
  std::swap(readings_, previous_);
  std::swap(read_seconds_, previous_seconds_);
  readings_.assign(previous_.size(), kNotKnown);
  read_seconds_.assign(previous_seconds_.size(), kNotKnown);
  read(now_seconds);
  if (!std::exchange(has_columns_, true)) add_columns();
  if (record_.times_seconds.size() >= most_samples_) halve();
  record_.times_seconds.push_back(tenths_of_milliseconds(now_seconds()));
  for (MonitorSeries& series : record_.series) series.values.push_back(kNotKnown);
  for (Column& column : columns_) {
    record_.series[column.series].values.back() = four_figures(value_of(column));
  }
}

void SeriesLog::read(const std::function<double()>& now_seconds) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    sources_[i].read(std::span(readings_).subspan(begin, sources_[i].numbers));
    read_seconds_[i] = now_seconds();
    begin += sources_[i].numbers;
  }
}

void SeriesLog::add_columns() {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const MonitorSource& source = sources_[i];
    for (const SeriesRow& row : source.rows) {
      const Column column{.shape = row.shape,
                          .number = begin + row.number,
                          .over = begin + row.over,
                          .scale = row.scale,
                          .source = i,
                          .is_share = row.unit == "share",
                          .series = 0};
      const bool known = !std::isnan(readings_[column.number]) &&
                         (row.shape != Shape::kQuotient || !std::isnan(readings_[column.over]));
      if (!known) continue;
      auto same = std::ranges::find_if(record_.series, [&](const MonitorSeries& series) {
        return series.name == row.name && series.of == row.of && series.unit == row.unit && series.source == row.source;
      });
      if (same == record_.series.end()) {
        record_.series.push_back(
            {.name = row.name, .of = row.of, .unit = row.unit, .source = row.source, .values = {}});
        same = record_.series.end() - 1;
        same->values.assign(record_.times_seconds.size(), kNotKnown);
        shapes_.push_back(row.shape);
      }
      columns_.push_back(column);
      columns_.back().series = static_cast<std::size_t>(same - record_.series.begin());
      shapes_[columns_.back().series] = row.shape;
    }
    begin += source.numbers;
  }
  const std::size_t fitting = kMostValues / std::max<std::size_t>(1, record_.series.size());
  most_samples_ = std::min(most_samples_, std::max(fitting, kFewestSamples)) & ~std::size_t{1};
}

double SeriesLog::value_of(Column& column) const {
  const double now = readings_[column.number];
  if (column.shape == Shape::kState) return now * column.scale;
  const double grown = now - previous_[column.number];
  const double elapsed = read_seconds_[column.source] - previous_seconds_[column.source];
  // Reset, such as when a device was removed and reattached, or unknown then or now.
  if (!(grown >= 0) || !(elapsed > 0)) return kNotKnown;
  if (column.shape == Shape::kRate && column.is_share) {
    // A tick is counted when it ends, so a short interval can have more ticks than fit; those belong to its neighbours.
    const double all = grown * column.scale + column.late;
    const double counted = std::min(all, elapsed);
    column.late = std::min(all - counted, kTickSeconds);
    return counted / elapsed;
  }
  if (column.shape == Shape::kRate) return grown * column.scale / elapsed;
  const double events = readings_[column.over] - previous_[column.over];
  return events > 0 ? grown * column.scale / events : kNotKnown;
}

void SeriesLog::halve() {
  std::vector<double>& times = record_.times_seconds;
  const std::size_t kept = times.size() / 2;
  const auto length_of = [&](std::size_t i) { return i == 0 ? times[1] - times[0] : times[i] - times[i - 1]; };
  for (std::size_t s = 0; s < record_.series.size(); ++s) {
    std::vector<double>& values = record_.series[s].values;
    for (std::size_t i = 0; i < kept; ++i) {
      const std::size_t first = 2 * i;
      values[i] = shapes_[s] == Shape::kState
                      ? values[first + 1]
                      : mean_of(values[first], length_of(first), values[first + 1], length_of(first + 1));
    }
    values.resize(kept);
  }
  for (std::size_t i = 0; i < kept; ++i) times[i] = times[2 * i + 1];
  times.resize(kept);
  ++record_.halvings;
}

}  // namespace loadline
