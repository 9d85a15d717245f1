// The options of `loadline forecast`.
#pragma once

#include "harness/cli/verbs.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

void add_forecast(CLI::App& app, ForecastVerbRequest& request);

}  // namespace loadline
