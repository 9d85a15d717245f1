// Series that a result's file has beside its trials' figures: what the machine did meanwhile, and where the time of
// each trial's loader went. Read from the file itself, as far as they are there.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadline {

struct MonitorSeries {
  std::string name;
  std::string of;  // "cpu0", a device
  std::string unit;
  std::vector<std::optional<double>> values;  // one for each time; none: not known then
};

struct RunSeries {
  std::vector<double> times_seconds;  // after the start of the run
  std::vector<MonitorSeries> monitor;
  // Seconds by stage, summed over the workers, of trials by the indices of their cell and of themselves.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::pair<std::string, double>>> loader_stages;
};

// Of the text of a result. Throws Error naming `source` and the place of what is wrong in it.
RunSeries run_series_of(std::string_view text, const std::string& source);

}  // namespace loadline
