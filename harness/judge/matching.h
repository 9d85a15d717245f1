// Which cells are compared with which. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/metrics.h"
#include "harness/result/result.h"

namespace loadline {

// A result with the name that sentences use for it. Borrows the result.
struct Named {
  std::string name;
  const Result& result;
};

// False for OVERHEAD, which no change of the user's affects, and for modes that the metric does not belong to.
bool is_compared(const Cell& cell, const Metric& metric);
// Those of the result, as indices in Result::cells.
std::vector<std::size_t> indices_of_compared(const Result& result, const Metric& metric);
// The workloads of the compared cells, each once, in the order of the cells.
std::vector<std::string> workloads_of(const Result& result, const Metric& metric);

// Why two cells are partners.
enum class MatchedBy : std::uint8_t {
  kSettings,       // they have the same settings
  kConfiguration,  // each belongs to the only configuration left of its workload
  kAxes,           // their configurations agree in all settings that tell the configurations of a result apart
  kBest,           // they are the fastest of those left, or the SYNTHETIC of these
};

// "settings", "configuration", "axes", "best".
std::string_view name(MatchedBy by);

struct Match {
  std::size_t base = 0;  // indices in Result::cells
  std::size_t changed = 0;
  MatchedBy by = MatchedBy::kSettings;
  std::optional<Mode> best_in;  // with kBest: the mode whose rates chose them

  bool operator==(const Match&) const = default;
};

// A workload of which one result has a single configuration and the other several, such as those of a sweep.
struct OneOfSeveral {
  std::string workload;
  bool several_in_base = false;
  std::size_t several = 0;
  // The cell of these that is compared, FULL rather than IO; nullopt: none is the counterpart of the single one, so the
  // fastest of the several are compared with it.
  std::optional<std::size_t> counterpart;

  bool operator==(const OneOfSeveral&) const = default;
};

// The cells of two results.
struct Matching {
  std::vector<Match> pairs;  // in the order of the base
  std::vector<std::size_t> gone;
  std::vector<std::size_t> added;
  std::vector<OneOfSeveral> ones;  // by workload; empty with `across`
};

// Matches cells in stages, each working on what the stages before left over:
// 1. By all settings except the data's location and what the machine makes of them; names do not matter. If one
//    result has several such cells, the location of their data tells them apart.
// 2. With the only cell that differs in nothing but its cache state.
// 3. Within a workload, by configurations: IO and FULL of one loader, worker count, batch size and so on, with the
//    SYNTHETIC of that FULL. If each result has one configuration left, these two match. If one has one and the other
//    several, its counterpart matches: the only one that agrees in every setting that the other result varies. If both
//    have several, those match that agree in every setting of which the results share some value, unless two of one
//    result agree in all of these. Otherwise the fastest of each result match, in IO and in FULL, with the SYNTHETIC of
//    that FULL; these need not belong to one configuration. `across` replaces these rules. It lists settings that may
//    differ: configurations that agree in all others are partners, and the fastest where several of one result do.
// A setting that follows from one that may differ, as the format follows from the loader, may differ too.
//
// Throws Error where cells of one result differ in nothing that matters; usage Error for an unknown setting in
// `across`.
Matching match_cells(const Named& base, const Named& changed, const Metric& metric,
                     std::span<const std::string> across = {});

// Two cells of one result, with their values of the setting along which it is compared.
struct AlongPair {
  std::size_t base = 0;
  std::size_t changed = 0;
  std::string base_value;
  std::string changed_value;
};

// Pairs cells that are equal in everything that was varied except one setting: each value against `base_value`, or,
// where that is empty, against the first in the file. A cell to which another setting does not apply, as workers do
// not apply to the serial loader, is paired with cells of all values of that setting. Throws usage Error for an
// unknown setting or value, and where no two cells differ in it alone; Error where two cells that would be compared
// with the same one have the same value.
std::vector<AlongPair> match_along(const Named& file, std::string_view setting, std::string_view base_value,
                                   const Metric& metric);

}  // namespace loadline
