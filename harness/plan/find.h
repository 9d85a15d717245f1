// What `--find` can search for, and the run that represents one value.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "harness/plan/options.h"

namespace loadline {

// A setting of a run to which there is a largest or smallest value that keeps the utilisation asked for.
struct FindKind {
  std::string_view name;       // of --find
  std::string_view parameter;  // of the compute that is replaced; empty: the number of workers
  bool largest;                // or the smallest
  bool whole;                  // takes whole numbers only
};

std::span<const FindKind> find_kinds();

// The word of --find beside those of find_kinds(): the fastest of several configurations.
inline constexpr std::string_view kFindBest = "best";

// By name; throws usage Error naming the known ones.
const FindKind& find_kind_named(std::string_view name);

// Nothing where nothing is searched for. Throws usage Error for what cannot be searched: without --au, over a list, in
// a compute that lacks the parameter; for kFindBest over what makes another training of it.
void check_find(const RunOptions& options);

// The options of kFindBest with the lists that it searches where none are given: workers in powers of two up to `cpus`
// and as many as these, and a few depths of prefetch.
RunOptions with_best_grid(const RunOptions& options, std::size_t cpus);

// The options of a run at one value of what is searched for. Those that a probe needs no more than the final run are
// left as they are.
RunOptions at_value(const RunOptions& options, double value);

// The largest whole number that `options` leave room for: of workers the largest of --workers, or else `cpus`; of a
// parameter what the compute takes, up to 4096.
double most_of(const RunOptions& options, std::size_t cpus);

// "name:a=1,b=2" with one parameter replaced or added; numbers to five digits. The text is one that is valid.
std::string with_parameter(std::string_view compute, std::string_view parameter, double value);

// The compute that `options` ask for: its own, or that of the first workload.
std::string compute_text(const RunOptions& options);

}  // namespace loadline
