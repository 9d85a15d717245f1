// Which cells stand against which. Pure functions, safe from any thread.
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

// A result with the name that it goes by in sentences. Borrows it.
struct Named {
  std::string name;
  const Result& result;
};

// OVERHEAD shows no change of the user's, and some metrics belong to one mode.
bool is_compared(const Cell& cell, const Metric& metric);
// Those of the compared cells, each once, in their order.
std::vector<std::string> workloads_of(const Result& result, const Metric& metric);

// Why two cells are partners.
enum class MatchedBy : std::uint8_t {
  kSettings,       // they have the same settings
  kConfiguration,  // each belongs to the only configuration of its workload that was left
  kAxes,           // their configurations agree in all that both results have in common
  kBest,           // their configurations are the fastest of those that were left
};

// "settings", "configuration", "axes", "best".
std::string_view name(MatchedBy by);

struct Match {
  std::size_t base = 0;  // indices in Result::cells
  std::size_t changed = 0;
  MatchedBy by = MatchedBy::kSettings;

  bool operator==(const Match&) const = default;
};

// Of two results.
struct Matching {
  std::vector<Match> pairs;  // in the order of the base
  std::vector<std::size_t> gone;
  std::vector<std::size_t> added;
};

// Matches cells in stages, each of what the ones before have left:
// 1. By all their settings but those that tell where the data lies and what the machine makes of them, whatever their
//    names. Several such cells in one result are told apart by where their data lies.
// 2. With the only one that differs in its cache state alone.
// 3. Within a workload, by configurations: IO and FULL of one loader, worker count, batch size and so on, with the
//    SYNTHETIC of that FULL. Where each result has one configuration left, these two. Where both have several, those
//    that agree in every setting of which both results have some value in common, if no two of one result agree in all
//    of these. Otherwise the fastest of each: by FULL, or by IO where not both have FULL.
//    `across` names settings that may differ, in place of these rules: configurations are partners that agree in all
//    others, and where several of one result do, the fastest of these.
// A setting that follows from one that may differ, as the format does from the loader, may differ as well.
//
// Throws Error where cells of one result differ in nothing that counts; usage Error for an unknown setting in `across`.
Matching match_cells(const Named& base, const Named& changed, const Metric& metric,
                     std::span<const std::string> across = {});

// Two cells of one result, and what they have of the setting along which it is compared.
struct AlongPair {
  std::size_t base = 0;
  std::size_t changed = 0;
  std::string base_value;
  std::string changed_value;
};

// Cells that are equal in all that was varied but one setting: each value against `base_value`, or where that is empty,
// against the first in the file. A cell to which another setting does not apply, as workers do not to the serial
// loader, stands beside those of all its values. Throws usage Error for an unknown setting or value, and where no two
// cells differ in it alone; Error where two that would stand against the same one have the same value.
std::vector<AlongPair> match_along(const Named& file, std::string_view setting, std::string_view base_value,
                                   const Metric& metric);

}  // namespace loadline
