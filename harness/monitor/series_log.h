// The numbers of sources, sampled over time, as series of bounded length.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "harness/monitor/source.h"
#include "harness/result/monitor_record.h"

namespace loadline {

// One thread.
class SeriesLog {
 public:
  static constexpr std::size_t kMostSamples = 8192;

  // A number that a source does not give at its first reading has no series. Continues `earlier`, the record of a
  // resumed run; values that only one of the two parts has are unknown in the other.
  SeriesLog(double period_seconds, std::vector<MonitorSource> sources, MonitorRecord earlier = {},
            std::size_t most_samples = kMostSamples);

  // Reads all sources. Rates begin with the second sample; each is over the time between two readings of its source,
  // even if the thread had to wait for a CPU between the sources of a sample. The sample has the time at its end. When
  // the log is full, every two samples become one, with the mean of their rates and the state of the later one, and the
  // period doubles.
  void sample(const std::function<double()>& now_seconds);

  double period_seconds() const;
  std::size_t most_samples() const { return most_samples_; }
  // Everything except the thread's CPU time.
  const MonitorRecord& record() const { return record_; }

 private:
  struct Column {
    Shape shape = Shape::kState;
    std::size_t number = 0;  // in readings_
    std::size_t over = 0;
    double scale = 1;
    std::size_t source = 0;  // in sources_
    bool is_share = false;   // of time: at most 1
    double late = 0;         // seconds: what a share leaves for the next interval
    std::size_t series = 0;  // in record_
  };

  void read(const std::function<double()>& now_seconds);
  void add_columns();
  double value_of(Column& column) const;
  void halve();

  std::vector<MonitorSource> sources_;
  MonitorRecord record_;
  std::vector<Column> columns_;
  bool has_columns_ = false;   // since the first sample
  std::vector<Shape> shapes_;  // of the series
  std::vector<double> readings_;
  std::vector<double> previous_;
  std::vector<double> read_seconds_;  // when each source was read
  std::vector<double> previous_seconds_;
  std::size_t most_samples_;  // even; fewer where there are many series
};

}  // namespace loadline
