#include "harness/cli/at_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/cli/cli.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/progress.h"
#include "harness/cli/verbs.h"
#include "loaders/error.h"
#include "loaders/printable.h"

namespace loadline {

int at_work(const std::string& place, bool quiet,
            const std::function<std::string(const ShowDone& show, const std::stop_token& stop)>& work) {
  const Interrupt interrupt;
  Progress progress(quiet);
  const auto begin = std::chrono::steady_clock::now();
  const auto show = [&](std::size_t done, std::size_t total) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    progress.status(fmt::format("{}: {} of {}", printable(place), done, total),
                    fmt::format(", {:.0f}/s", static_cast<double>(done) / std::max(seconds.count(), 1e-3)));
  };
  try {
    const std::string outcome = work(show, interrupt.token());
    progress.milestone(fmt::format("{}: {}", printable(place), outcome));
  } catch (const Error& error) {
    if (interrupt.signal() == 0) throw;
    progress.clear();
    print_error(error.what());
    return kExitSignal + interrupt.signal();
  }
  return kExitOk;
}

}  // namespace loadline
