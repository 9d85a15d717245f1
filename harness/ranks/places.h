// Where ranks run, and on which CPUs. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/result/rank_record.h"

namespace loadline {

// Deals out the CPUs of ranks of one host that were all given the same ones: each gets its share of them, neighbours
// together, or where there are more ranks than CPUs one, in turn. What a launcher has bound already stays as it is. By
// rank, in and out.
std::vector<RankPlace> deal_cpus(std::vector<RankPlace> places);

// Ranks on the same host as this one, itself among them.
std::size_t ranks_beside(const std::vector<RankPlace>& places, std::size_t rank);

// "2 ranks on n1: 0 on CPU 0, 1 on CPU 1 (dealt out)", a line a host.
std::string places_text(const RunRanks& ranks);

}  // namespace loadline
