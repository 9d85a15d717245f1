// A forecast: a curve over ranks, and what follows from it. Pure functions, safe from any thread; those that simulate,
// from the one thread of their simulator.
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
  std::size_t ranks = 0;        // that it is searched at; of nodes: 0
  std::optional<double> value;  // nullopt: nothing keeps it
  bool unlimited = false;       // of nodes: as many as were tried, and more
};

struct ForecastFind {
  std::string_view name;
  std::string_view unit;
  bool of_storage;  // a limit of the storage, rather than a number of nodes
  bool largest;     // or the smallest value that keeps the utilisation
};

std::span<const ForecastFind> forecast_finds();

struct ForecastRequest {
  System system;
  std::vector<std::size_t> ranks{1};
  std::size_t epochs = 1;
  std::string find;          // empty: nothing
  double utilisation = 0.9;  // that `find` keeps
  std::size_t seeds = 0;     // that each point is simulated with; 0: nothing is simulated
};

// What follows from a simulated curve.
struct SimulatedForecast {
  std::vector<SimulatedPoint> points;  // as those of the closed form
  std::optional<std::size_t> saturating_ranks;
  std::optional<ForecastFound> found;
};

struct Forecast {
  std::string source;  // file, or the figures that it was made of
  Basis basis;
  std::vector<ForecastPoint> points;  // by ranks as asked for
  std::optional<std::size_t> saturating_ranks;
  std::optional<ForecastFound> found;
  std::optional<SimulatedForecast> simulated;
};

// `simulator`, by which `request.seeds` are simulated, may be null where these are 0. Throws usage Error for what the
// basis cannot answer: a limit on bytes where the bytes of a sample are not known.
Forecast make_forecast(const std::string& source, const Basis& basis, const ForecastRequest& request,
                       Simulator* simulator = nullptr);

// By bisection. Of nodes: the most that keep the utilisation. Of a limit of the storage: the least (of a latency the
// most) with which the largest number of ranks asked for keeps it, all else as it is.
ForecastFound find_in_forecast(const Basis& basis, const ForecastRequest& request);

// The same by simulation, to 1 %, looked for around `closed`, which is what the closed form found.
ForecastFound find_by_simulation(Simulator& simulator, const Basis& basis, const ForecastRequest& request,
                                 const ForecastFound& closed);

// The fewest ranks that keep the storage busy for 99 % of the time, looked for around `closed`, the answer of the
// closed form, of which none is none. To 1 %.
std::optional<std::size_t> saturating_by_simulation(Simulator& simulator, const Basis& basis,
                                                    const ForecastRequest& request, std::optional<std::size_t> closed);

// Where one of several forecasts is ahead of the others, from one number of ranks to another.
struct Lead {
  std::size_t first_ranks = 0;
  std::size_t last_ranks = 0;
  std::size_t forecast = 0;        // index
  std::vector<std::size_t> equal;  // forecasts within 0.5 % of the best one and that one, if there are any: a tie
  bool clear = false;              // its band lies above those of the others throughout
  double least_factor = 0;         // of its rate over that of the second, at the number of ranks where that is least
  double most_factor = 0;
};

// Of forecasts of the same ranks, in their order; by their simulations where there are any.
std::vector<Lead> leads_of(std::span<const Forecast> forecasts);

// What the model leaves out of these figures, a sentence each.
std::vector<std::string> left_out(const Basis& basis, const System& system, bool simulated = false);

}  // namespace loadline
