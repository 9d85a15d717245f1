#include "harness/cli/opening.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/cli/child.h"
#include "harness/cli/cli.h"
#include "harness/cli/verbs.h"
#include "harness/measure/apart.h"
#include "harness/measure/within_run.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

// Whether any loader or compute may be the user's own.
bool names_foreign_code(const RunOptions& options) {
  const std::string compute = options.compute.substr(0, options.compute.find(':'));
  return std::ranges::any_of(options.loaders, may_name_external_loader) ||
         (!compute.empty() && std::ranges::find(computes(), compute, &ComputeKind::name) == computes().end());
}

}  // namespace

Opening::Opening(const RunOptions* options, const Clock& clock, std::stop_token stop, std::function<int()> signal,
                 std::string_view done)
    : limit_seconds_(options == nullptr ? std::nullopt : options->time_limit),
      clock_(clock),
      began_(clock.now()),
      stop_(std::move(stop)),
      signal_(std::move(signal)),
      foreign_(options == nullptr || names_foreign_code(*options)),
      nothing_(fmt::format("nothing was {} and no result written", done)) {}

void Opening::run(const std::function<void()>& work) {
  if (!foreign_) return work();
  const auto overdue = [this] { return limit_seconds_ && clock_.now() >= began_ + time_of(*limit_seconds_); };
  hung_ = run_watched([&](const std::stop_token&) { work(); },
                      {.who = "the run",
                       .stop = stop_,
                       .overdue = overdue,
                       .patience = kPatience,
                       .give_up = [this](const std::string& why) { give_up(why); }});
}

int Opening::interrupted() const {
  if (!hung_.empty()) print_error(hung_);
  print_interruption("interrupted while preparing; " + nothing_);
  return kExitSignal + signal_();
}

void Opening::give_up(const std::string& why) {
  end_process([&] {
    if (signal_() == 0) throw Error(why + "; " + nothing_);
    hung_ = why;
    return interrupted();
  });
}

}  // namespace loadline
