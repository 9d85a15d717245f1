// Under which circumstances two results were taken, as far as they differ. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// What a Difference of the hosts' names is of.
inline constexpr std::string_view kHost = "host";

struct Difference {
  std::string what;  // "CPU", "build type"
  std::string base;  // "unknown" where the result does not tell
  std::string changed;

  bool operator==(const Difference&) const = default;
};

// What makes their figures mean different things, so that a change could come from there: the machine and how it
// was built. Hosts of the same kind do not differ.
std::vector<Difference> unlike(const Result& base, const Result& changed);

// What a change may well be looked for in, and what else may matter: versions, revision, compiler, libraries, hosts,
// kernel, file systems.
std::vector<Difference> noteworthy(const Result& base, const Result& changed);

}  // namespace loadline
