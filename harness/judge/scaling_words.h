// What a scaling study says, in sentences. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/scaling_study.h"

namespace loadline {

// Where a curve stops scaling, by the interval of its efficiency.
struct ScalingLimit {
  std::size_t kept = 0;  // index of the most ranks, before the limit, that surely keep it; at least the first. Ranks
                         // whose figure is too noisy to state do not
  std::optional<std::size_t> stopped;  // index of the fewest ranks that surely miss it
  std::optional<std::size_t> unclear;  // index of the fewest ranks between the two for which the trials cannot tell
};

ScalingLimit limit_of(const RankCurve& curve, double efficiency);

// How far the curve scales, and why no further, as sentences to act on. One of them doubts the comparison where ranks
// surely do more than the fewest.
std::string scaling_sentence(const RankCurve& curve, const ScalingStudy& study);

// For strong scaling: the number of ranks from which the step alone is too slow with its share of the batch. Empty if
// it never is, and without SYNTHETIC.
std::string share_sentence(const RankCurve& curve, const ScalingStudy& study);

// Bytes in MiB, for a column or sentence that has the unit: three digits, and whole from 100 on, "0.187", "1688".
std::string mebibytes_text(double bytes);

// Where the samples came from whose MiB/s the table shows.
std::string reads_sentence(const RankCurve& curve);

// The two laws and the ideal line, one sentence each.
std::vector<std::string> law_sentences(const RankCurve& curve);

// All of these sentences that are not empty.
std::vector<std::string> sentences_of(const RankCurve& curve, const ScalingStudy& study);

}  // namespace loadline
