// What a scaling study says, in sentences. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/scaling_study.h"

namespace loadline {

// Where a curve stops scaling: efficiency against what counts as scaling, by its interval.
struct ScalingLimit {
  std::size_t kept = 0;                // index of the most ranks before the limit that surely keep it; the first does
  std::optional<std::size_t> stopped;  // of the fewest ranks that surely miss it
  std::optional<std::size_t> unclear;  // of the fewest ranks between the two of which the trials cannot tell
};

ScalingLimit limit_of(const RankCurve& curve, double efficiency);

// How far the curve scales, and why no further, in sentences to act on.
std::string scaling_sentence(const RankCurve& curve, const ScalingStudy& study);

// Of strong scaling: from how many ranks on the step alone is too slow with its share of the batch. Empty where it is
// not, and without SYNTHETIC.
std::string share_sentence(const RankCurve& curve, const ScalingStudy& study);

// Where the samples came from, of which the table has MiB/s.
std::string reads_sentence(const RankCurve& curve);

// The two laws and the ideal line, a sentence each.
std::vector<std::string> law_sentences(const RankCurve& curve);

// All of these that there are.
std::vector<std::string> sentences_of(const RankCurve& curve, const ScalingStudy& study);

}  // namespace loadline
