// What `--find` can search for, and the run that represents one value.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "harness/plan/options.h"

namespace loadline {

// A setting that has a largest or smallest value at which a run still keeps the requested utilisation.
struct FindKind {
  std::string_view name;       // of --find
  std::string_view parameter;  // the parameter of the compute to replace; empty: the number of workers
  bool largest;                // or the smallest value
  bool whole;                  // takes whole numbers only
};

std::span<const FindKind> find_kinds();

// The word of --find that is not in find_kinds(): find the fastest of several configurations.
inline constexpr std::string_view kFindBest = "best";

// By name; throws usage Error naming the known ones.
const FindKind& find_kind_named(std::string_view name);

// Does nothing without --find. Throws usage Error for a search that cannot work: without --au, over a list, or in a
// compute that lacks the parameter; for kFindBest, over options that would change what is trained.
void check_find(const RunOptions& options);

// The options of kFindBest, with defaults for the lists that were not given: workers in powers of two up to `cpus`,
// and `cpus` itself, and a few depths of prefetch.
RunOptions with_best_grid(const RunOptions& options, std::size_t cpus);

// The options of a run at one value of the search. All other options stay as they are.
RunOptions at_value(const RunOptions& options, double value);

// The smallest whole number that the search may try: 1, or 0 workers for a loader that may do without.
double least_of(const RunOptions& options);

// The largest: for workers the largest of --workers, or else `cpus`; for a
// parameter the largest that the compute accepts, up to 4096.
double most_of(const RunOptions& options, std::size_t cpus);

// "name:a=1,b=2" with one parameter replaced or added; numbers have five digits. `compute` must be valid.
std::string with_parameter(std::string_view compute, std::string_view parameter, double value);

// The compute that the options name, or else that of their first workload.
std::string compute_text(const RunOptions& options);

}  // namespace loadline
