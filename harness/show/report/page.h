// The parts of a report's page that are embedded when the tool is built.
#pragma once

#include <string_view>

namespace loadline {

struct Page {
  std::string_view style;      // CSS
  std::string_view script;     // JavaScript that draws the charts with the libraries, filters and exports
  std::string_view libraries;  // Vega and Vega-Lite with their licences; empty if not included
};

// Has no libraries if the tool was built without npm.
Page embedded_page();

}  // namespace loadline
