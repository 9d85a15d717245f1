#include <array>

#include "bench/truth/rows.h"

namespace loadline::truth {
namespace {

constexpr std::string_view kUnseen =
    "no interval can know about slow trials that it has not seen: n trials contain none with probability 0.9^n (59 % "
    "of 5, 35 % of 10, 12 % of 20), and no interval bounded by its trials covers the mean of every distribution (R. R. "
    "Bahadur and L. J. Savage, Annals of Mathematical Statistics 27, 1956)";

constexpr std::string_view kSkewness =
    "the t interval of n values of skewness g misses by about g^2 / n of its confidence, all on one side (N. J. "
    "Johnson, Journal of the American Statistical Association 73, 1978): at a skewness of 2 it covers 88 to 92 % for 3 "
    "to 20 trials, and a correction has to be estimated from the same trials";

constexpr std::string_view kModel =
    "a prediction extrapolates by a model, the slower of two independent rates; its interval covers only the trials, "
    "and no trial of one configuration tells how far the model is off at another";

constexpr std::string_view kLater =
    "fresh trials come after the pilot, and cells end in different rounds: under a drift their figure is that of the "
    "later part of the run, and no figure is the mean over the whole run";

constexpr std::string_view kStratified =
    "rounds balance a drift between cells and over a run, but the drift widens the spread of the trials: the interval "
    "is wider than necessary, as in stratified samples (W. G. Cochran, Sampling Techniques, 1977, chapter 5)";

constexpr double kLow = 0.93;
constexpr double kHigh = 0.97;

constexpr std::array kTargets{
    Target{"wrong", "clear verdicts (loader, compute, interference, balanced, latency, harness) that are wrong", 0,
           0.01},
    Target{"contradiction", "\"the trials contradict each other\" although nothing changed", 0, 0.01},
    Target{"unclear", "unclear although the truth lies 10 % beyond the boundary, 5 quiet trials (cv up to 3 %)", 0,
           0.05},
    Target{"mean/normal", "95 % interval of a mean", kLow, kHigh},
    Target{"mean/skewed", "", kLow, kHigh},
    Target{"mean/drift", "", kLow, kHigh, kStratified},
    Target{"mean/very-skewed", "", kLow, kHigh, kSkewness},
    Target{"mean/one-in-ten", "", kLow, kHigh, kUnseen},
    Target{"ratio/normal", "of the ratio of two runs", kLow, kHigh},
    Target{"ratio/skewed", "", kLow, kHigh},
    Target{"ratio/drift", "", kLow, kHigh, kStratified},
    Target{"ratio/very-skewed", "", kLow, kHigh, kSkewness},
    Target{"ratio/one-in-ten", "", kLow, kHigh, kUnseen},
    Target{"stall/normal", "of the stall", kLow, kHigh},
    Target{"stall/skewed", "", kLow, kHigh},
    Target{"stall/drift", "", kLow, kHigh, kStratified},
    Target{"stall/very-skewed", "", kLow, kHigh, kSkewness},
    Target{"stall/one-in-ten", "", kLow, kHigh, kUnseen},
    Target{"au/normal", "of the utilisation", kLow, kHigh},
    Target{"au/skewed", "", kLow, kHigh},
    Target{"au/drift", "", kLow, kHigh, kStratified},
    Target{"au/very-skewed", "", kLow, kHigh, kSkewness},
    Target{"au/one-in-ten", "", kLow, kHigh, kUnseen},
    Target{"supply/normal", "of the supply", kLow, kHigh},
    Target{"supply/skewed", "", kLow, kHigh},
    Target{"supply/drift", "", kLow, kHigh, kStratified},
    Target{"supply/very-skewed", "", kLow, kHigh, kSkewness},
    Target{"supply/one-in-ten", "", kLow, kHigh, kUnseen},
    Target{"overlap/normal", "of the overlap efficiency", kLow, kHigh},
    Target{"overlap/skewed", "", kLow, kHigh},
    Target{"overlap/drift", "", kLow, kHigh, kStratified},
    Target{"overlap/very-skewed", "", kLow, kHigh, kSkewness},
    Target{"overlap/one-in-ten", "", kLow, kHigh, kUnseen},
    Target{"prediction/as-modelled", "of a prediction, with constant times that do not disturb each other", kLow,
           kHigh},
    Target{"prediction/beyond", "of a prediction, elsewhere", kLow, kHigh, kModel},
    Target{"until-ci/normal", "of a mean after --until-ci", kLow, kHigh},
    Target{"until-ci/skewed", "", kLow, kHigh},
    Target{"until-ci/drift", "", kLow, kHigh, kLater},
    Target{"until-ci/very-skewed", "", kLow, kHigh, kSkewness},
    Target{"until-ci/one-in-ten", "", kLow, kHigh, kUnseen},
    Target{"until-ci/narrow",
           "cells with an interval as narrow as --until-ci requests, of those for which the run claims it", 0.999, 1},
    Target{"false-alarm", "false alarms of the whole gate (exit code 3) between two equal runs", 0, 0.05},
    Target{"loss/loader-bound", "planted losses of 10 % that the gate finds if loading binds, cv up to 3 %, 5 trials",
           0.95, 1},
    Target{"loss/compute-bound", "the same in IO alone, if compute binds", 0.95, 1},
    Target{"equivalent", "\"equivalent\" although the change is twice the margin", 0, 0.01},
    Target{"recommended", "recommended configurations more than the margin slower than the best", 0, 0.05},
    Target{"find", "--find: a confirmed value that misses its AU", 0, 0.05},
    Target{"consistent", "configurations of which two printed statements contradict each other", 0, 0},
};

constexpr std::array kExperiments{
    Experiment{"judge", 1, judge_one},         Experiment{"harness", 0.1, judge_harness},
    Experiment{"drain", 0.1, judge_drain},     Experiment{"causes", 0.2, judge_causes},
    Experiment{"clear", 0.5, judge_clear},     Experiment{"gate-equal", 0.5, gate_equal},
    Experiment{"gate-loss", 0.3, gate_loss},   Experiment{"gate-equivalent", 0.3, gate_equivalent},
    Experiment{"recommend", 0.3, recommend},   Experiment{"find", 0.15, find_value},
    Experiment{"until-ci", 0.5, until_narrow},
};

}  // namespace

std::span<const Target> targets() {
  return kTargets;
}

std::span<const Experiment> experiments() {
  return kExperiments;
}

}  // namespace loadline::truth
