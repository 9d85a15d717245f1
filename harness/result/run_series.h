// Where the time of each trial's loader went, as the file of a result tells it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadline {

struct RunSeries {
  // Seconds by stage, summed over the workers, of trials by the indices of their cell and of themselves: those that
  // have them.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::pair<std::string, double>>> loader_stages;
};

// Of the text of a result. Throws Error naming `source` and the place of what is wrong in it.
RunSeries run_series_of(std::string_view text, const std::string& source);

}  // namespace loadline
