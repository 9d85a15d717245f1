#include "harness/forecast/simgrid.h"

#include <fmt/format.h>

#include "loaders/error.h"
#include "loaders/system/module.h"

namespace loadline {
namespace {

const SimGridFunctions& loaded_simgrid() {
  const auto functions = reinterpret_cast<decltype(&loadline_simgrid_functions)>(
      load_module("loadline_simgrid.so", "loadline_simgrid_functions"));
  const SimGridFunctions* const simgrid = functions();
  if (simgrid->version != SimGridFunctions::kVersion) {
    throw Error("cannot use loadline_simgrid.so: it belongs to another version of loadline");
  }
  return *simgrid;
}

class SimGrid final : public Simulator {
 public:
  explicit SimGrid(const SimGridFunctions& functions) : functions_(functions) {}

  SimulatedTimes run(const SimulationPlan& plan) override {
    SimulatedTimes times;
    times.step_ends.resize(plan.steps());
    const char* const why = functions_.simulate(&plan.run, plan.groups.data(), plan.groups.size(), plan.epochs.data(),
                                                plan.epochs.size(), times.step_ends.data(), &times.outcome);
    if (why != nullptr) throw Error(fmt::format("cannot simulate by SimGrid: {}", why));
    return times;
  }

 private:
  const SimGridFunctions& functions_;
};

}  // namespace

std::string why_no_simgrid() {
#ifdef LOADLINE_HAVE_SIMGRID
  return "";
#else
  return "built without SimGrid; install it (Debian: libsimgrid-dev) and configure again";
#endif
}

std::string simgrid_library() {
  return loaded_simgrid().library();
}

std::unique_ptr<Simulator> make_simgrid(const std::string& option) {
  if (const std::string why = why_no_simgrid(); !why.empty()) {
    throw usage_error(fmt::format("{}: loadline was {}", option, why));
  }
  return std::make_unique<SimGrid>(loaded_simgrid());
}

}  // namespace loadline
