// What one run measured of the alternatives that advice may name, so that no advice contradicts its own result. Pure
// functions, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/statistics.h"
#include "harness/result/result.h"

namespace loadline {

struct Configuration;

// Another configuration of the run: the fastest of those that differ from this one as the advice would have it.
struct Tried {
  std::string name;  // with its verb: "4 workers were", "thread-pool with 2 workers was"
  std::size_t workers = 0;
  std::size_t most_workers = 0;  // of those that it is the fastest of
  Ratio gain = {};               // its throughput over this configuration's
};

// All else equal, except for what follows from the loader. nullopt: the run did not try it.
struct Alternatives {
  std::optional<Tried> more_workers = {};   // of the same loader
  std::optional<Tried> fewer_workers = {};  // likewise, but at least one
  std::optional<Tried> with_workers = {};   // any loader with workers, where this configuration has none
  std::optional<Tried> more_prefetch = {};
};

// Whether the run tried it and shows no gain worth acting on: the 95 % interval of the gain contains 1, or the gain is
// below kNoticeable. False for a single trial.
bool gained_nothing(const std::optional<Tried>& tried);

// Whether it was faster by more than is noticeable, for certain.
bool gained_clearly(const std::optional<Tried>& tried);

// Whether this configuration is faster than the fastest with fewer workers by more than so many CPUs explain. Its
// workers then wait for something other than a CPU, such as storage, and do not take turns.
bool gained_beyond_cpus(const Alternatives& tried, std::size_t cpus);

// "4 workers were no faster in this run"; "hardly faster" for a gain below kNoticeable, "not clearly faster" where the
// interval leaves open a larger one.
std::string gain_text(const Tried& tried);

// Of each configuration, by its cell of IO or of FULL; a configuration without trials of that mode has none.
std::vector<Alternatives> alternatives_of(const Result& result, const std::vector<Configuration>& configurations,
                                          Mode mode);

// Whether the loader of the cell takes a number of workers, as far as the run shows: a loader in Python does if it was
// measured with some, or if the 0 that was requested can only have been meant for it.
bool takes_workers(const Result& result, const Cell& cell);

}  // namespace loadline
