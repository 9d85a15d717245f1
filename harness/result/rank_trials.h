// The trials of several ranks as one. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// What a rank measured, as text for another rank, and back. Reading throws Error for any other text.
std::string text_of_trial(const Trial& trial);
std::string text_of_trial(const FirstEpoch& epoch);
std::string text_of_trial(const CeilingTrial& trial);
void read_trial(const std::string& text, Trial& trial);
void read_trial(const std::string& text, FirstEpoch& epoch);
void read_trial(const std::string& text, CeilingTrial& trial);

// Puts the share of this rank, whose trial it is, into ranks->each. `started_seconds` is by a clock common to all
// ranks.
void note_share(Trial& trial, std::size_t rank, double started_seconds);

// `of_ranks`: by rank, each with its share. Amounts are summed over all ranks, the time is the slowest rank's, waits
// are means over the ranks (percentiles are those of the rank with the longest). Stages are means too, with the mean
// rank's waiting for the slowest as a stage of its own. Everything else is rank 0's.
Trial together(std::vector<Trial> of_ranks);
FirstEpoch together(const std::vector<FirstEpoch>& of_ranks);
// Ran on all ranks at once: the rate is that of all together.
CeilingTrial together(const std::vector<CeilingTrial>& of_ranks);

}  // namespace loadline
