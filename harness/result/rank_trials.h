// The trials of several ranks as one. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// What a rank has measured, as text that another rank reads, and back. Throws Error where it is not that.
std::string text_of_trial(const Trial& trial);
std::string text_of_trial(const FirstEpoch& epoch);
std::string text_of_trial(const CeilingTrial& trial);
void read_trial(const std::string& text, Trial& trial);
void read_trial(const std::string& text, FirstEpoch& epoch);
void read_trial(const std::string& text, CeilingTrial& trial);

// The share of this one rank, whose trial it is, in ranks->each; `started_seconds` by a clock that all have.
void note_share(Trial& trial, std::size_t rank, double started_seconds);

// By rank, each with its share. Amounts are those of all ranks together, the time is that of the slowest, waits are
// means over the ranks (their percentiles those of the rank that has the longest), and stages are means, too, with what
// the mean rank waits for the slowest as a stage of its own. What is no amount is that of rank 0.
Trial together(std::vector<Trial> of_ranks);
FirstEpoch together(const std::vector<FirstEpoch>& of_ranks);
// At once on all ranks: so much a second in all.
CeilingTrial together(const std::vector<CeilingTrial>& of_ranks);

}  // namespace loadline
