// SimGrid (H. Casanova, A. Giersch, A. Legrand, M. Quinson, F. Suter: "Versatile, Scalable, and Accurate Simulation of
// Distributed Applications and Platforms", Journal of Parallel and Distributed Computing 74, 2014).
#pragma once

#include <memory>
#include <string>

#include "harness/forecast/simulation.h"

namespace loadline {

// Why this build has no SimGrid, and how to get it; empty if it has.
std::string why_no_simgrid();

// Its version: "3.32". Throws Error where its module cannot be loaded.
std::string simgrid_library();

// Throws usage Error naming `option` where the build has no SimGrid, Error where its module cannot be loaded.
std::unique_ptr<Simulator> make_simgrid(const std::string& option);

}  // namespace loadline
