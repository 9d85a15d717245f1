// How the circumstances of two results differ. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// `what` of a Difference between the hosts' names.
inline constexpr std::string_view kHost = "host";

struct Difference {
  std::string what;  // "CPU", "build type"
  std::string base;  // "unknown" where the result does not have it
  std::string changed;

  bool operator==(const Difference&) const = default;
};

// Differences that give the figures different meanings and could explain a change: in the machine, in the number of
// processes and in how the program was built. Hosts of the same kind do not differ.
std::vector<Difference> unlike(const Result& base, const Result& changed);

// Other differences, which may cause a change or be what a comparison is about: versions, revision, compiler,
// libraries, hosts, kernel, file systems.
std::vector<Difference> noteworthy(const Result& base, const Result& changed);

// Files that the same loader or compute names in both, with other contents: someone has edited a loader in Python.
std::vector<Difference> changed_files(const Result& base, const Result& changed);

}  // namespace loadline
