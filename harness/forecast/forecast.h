// A forecast: a curve over ranks, and what follows from it. Pure functions, safe from any thread; those that simulate
// run only on the thread of their simulator.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/forecast/basis.h"
#include "harness/forecast/model.h"
#include "harness/forecast/simulation.h"
#include "harness/forecast/system.h"

namespace loadline {

// What is searched for, and the outcome.
struct ForecastFound {
  std::string kind;             // of forecast_finds()
  double utilisation = 0;       // to maintain
  std::size_t ranks = 0;        // ranks at which it is searched for; 0 when searching for nodes
  std::optional<double> value;  // nullopt: no value maintains it
  bool unlimited = false;       // for nodes: even the largest number tried maintains it
};

struct ForecastFind {
  std::string_view name;
  std::string_view unit;
  bool of_storage;  // a limit of the storage, rather than a number of nodes
  bool largest;     // the largest value that keeps the utilisation is searched for, not the smallest
};

std::span<const ForecastFind> forecast_finds();

struct ForecastRequest {
  System system;
  std::vector<std::size_t> ranks{1};
  std::size_t epochs = 1;
  std::string find;          // empty: nothing
  double utilisation = 0.9;  // that `find` maintains
  std::size_t seeds = 0;     // per simulated point; 0: nothing is simulated
};

// What follows from a simulated curve.
struct SimulatedForecast {
  std::vector<SimulatedPoint> points;  // one for each point of the closed form
  std::optional<std::size_t> saturating_ranks;
  std::optional<ForecastFound> found;
};

struct Forecast {
  std::string source;  // the file or the figures it was made from
  Basis basis;
  std::vector<ForecastPoint> points;  // one for each requested number of ranks
  std::optional<std::size_t> saturating_ranks;
  std::optional<ForecastFound> found;
  std::optional<SimulatedForecast> simulated;
};

// `simulator` simulates `request.seeds` seeds; it may be null where that is 0. Throws usage Error for what the basis
// cannot answer, such as a limit on bytes where the bytes of a sample are not known.
Forecast make_forecast(const std::string& source, const Basis& basis, const ForecastRequest& request,
                       Simulator* simulator = nullptr);

// Searches by bisection. For nodes: the most that keep the utilisation. For a limit of the storage: the smallest (for
// a latency, the largest) value with which the largest requested number of ranks keeps it, all else unchanged.
ForecastFound find_in_forecast(const Basis& basis, const ForecastRequest& request);

// The same by simulation, to 1 %, searching around `closed`, the answer of the closed form.
ForecastFound find_by_simulation(Simulator& simulator, const Basis& basis, const ForecastRequest& request,
                                 const ForecastFound& closed);

// The fewest ranks that keep the storage busy for 99 % of the time, to 1 %, searching around `closed`, the answer of
// the closed form; nullopt if that is nullopt.
std::optional<std::size_t> saturating_by_simulation(Simulator& simulator, const Basis& basis,
                                                    const ForecastRequest& request, std::optional<std::size_t> closed);

// A range of ranks over which one of several forecasts is ahead of the others.
struct Lead {
  std::size_t first_ranks = 0;
  std::size_t last_ranks = 0;
  std::size_t forecast = 0;        // index
  std::vector<std::size_t> equal;  // the best forecast and those within 0.5 % of it, if there are any: a tie
  bool clear = false;              // its band lies above those of the others throughout
  double least_factor = 0;         // of its rate over the second's, at the number of ranks where that is smallest
  double most_factor = 0;
};

// Leads among forecasts of the same ranks, in the order of ranks; by their simulations where there are any.
std::vector<Lead> leads_of(std::span<const Forecast> forecasts);

// What the model leaves out of these figures, one sentence each.
std::vector<std::string> left_out(const Basis& basis, const System& system, bool simulated = false);

}  // namespace loadline
