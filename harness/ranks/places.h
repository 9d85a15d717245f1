// Where ranks run, and on which CPUs. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/result/rank_record.h"

namespace loadline {

// Deals out CPUs where ranks of one host were all given the same ones: each rank gets a share of neighbouring CPUs
// or, with more ranks than CPUs, one CPU in turn. CPUs that a launcher has bound, or a single CPU, stay as they are.
// Input and output are indexed by rank.
std::vector<RankPlace> deal_cpus(std::vector<RankPlace> places);

// The number of ranks on the same host as `rank`, including itself.
std::size_t ranks_beside(const std::vector<RankPlace>& places, std::size_t rank);

// One line per host: "2 ranks on n1: 0 on CPU 0, 1 on CPU 1 (dealt out: all were given the same)".
std::string places_text(const RunRanks& ranks);

}  // namespace loadline
