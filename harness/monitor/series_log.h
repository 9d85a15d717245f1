// The numbers of sources, sample after sample, as series of a bounded length.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/monitor/source.h"
#include "harness/result/monitor_record.h"

namespace loadline {

// One thread.
class SeriesLog {
 public:
  static constexpr std::size_t kMostSamples = 8192;

  // What a source does not give at its first reading has no series. Goes on with `earlier`, of a run that is resumed:
  // what one of the two has not is not known there.
  SeriesLog(double period_seconds, std::vector<MonitorSource> sources, MonitorRecord earlier = {},
            std::size_t most_samples = kMostSamples);

  // Reads all sources. Rates begin with the second sample. Where there are as many as may be, each two become one,
  // which has the mean of their rates and the state of the later, and the period is twice as long from then on.
  void sample(double now_seconds);

  double period_seconds() const;
  std::size_t most_samples() const { return most_samples_; }
  // All but the thread's CPU time.
  const MonitorRecord& record() const { return record_; }

 private:
  struct Column {
    Shape shape = Shape::kState;
    std::size_t number = 0;  // in readings_
    std::size_t over = 0;
    double scale = 1;
    std::size_t series = 0;  // in record_
  };

  void read();
  void add_columns();
  double value_of(const Column& column, double elapsed_seconds) const;
  void halve();

  std::vector<MonitorSource> sources_;
  MonitorRecord record_;
  std::vector<Column> columns_;  // none before the first sample
  std::vector<Shape> shapes_;    // of the series
  std::vector<double> readings_;
  std::vector<double> previous_;
  std::optional<double> previous_seconds_;
  std::size_t most_samples_;  // even; fewer where there are many series
};

}  // namespace loadline
