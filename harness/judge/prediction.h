// What a verdict predicts: figures that follow from the trials and can be measured, so that the verdict can be
// tested. Pure, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/statistics.h"
#include "harness/result/result.h"

namespace loadline {

struct Judgement;

// A measured figure within this of its prediction agrees. It is twice what is noticeable, because a prediction
// combines two or three figures, each of which may be off by that much unnoticed.
inline constexpr double kAgreementMargin = 0.10;

// Bounds further apart than this do not disturb each other: FULL reaches the lower of the two. Closer ones do, the
// more their batches vary and the shorter their queue is, so nothing is predicted.
inline constexpr double kApart = 0.25;

// Whether the 95 % interval of measured / predicted lies within 1 ± kAgreementMargin (1 / 1.1 to 1.1).
enum class Agreement { kAgrees, kDisagrees, kUnclear };  // inside, outside, straddling or without an interval

// "agrees", "disagrees", "unclear".
std::string_view name(Agreement agreement);

// What follows from a verdict, to be compared with trials of the cell that would show it.
struct Prediction {
  std::size_t configuration = 0;  // index
  std::string statement;          // a sentence without its full stop, containing the figure
  Cell cell;
  std::size_t dataset = 0;             // of the cell: index
  Estimate samples_per_second;         // predicted, always with an interval
  bool identity = false;               // it holds by definition, so measuring it would prove nothing
  std::optional<std::size_t> check;    // index in Result::checks; nullopt: not measured
  std::optional<Summary> measured;     // nullopt without trials
  std::optional<Estimate> ratio;       // measured / predicted, with the uncertainty of both
  std::optional<Agreement> agreement;  // nullopt without trials
};

// Up to three predictions for each headline whose verdict is that loading or compute binds it, none for others.
// `judgement` needs its cells, configurations and headlines. Let S, L and F be the rates of SYNTHETIC, of what the
// loader fills without a drain (filling.h) and of FULL, and let ' mark those of the changed cell. Then F' is the
// lower of L' and S': F L' / L where loading binds both, F S' / S where the compute does, and L' or S' itself where
// the other one binds now. IO does not bound F'. Intervals are those of the sum of the logarithms.
//
//   bound by loading   more workers, on CPUs that have none yet: L' is what that many fill if it was measured,
//                      otherwise proportional to the workers, up to the lowest ceiling that was measured for them.
//                      Not where that exceeds what storage gave for another number of reads in flight. Where storage
//                      binds loading, F does not change if the trials used the device's rate, and that for any number
//                      of reads in flight; otherwise nothing is known
//                      a compute twice as fast, for a device whose rate can be set: F does not change
//                      a perfect loader: S by definition, unless a step of S is hardly longer than the harness's own
//                      cost
//   bound by compute   half the workers, if L / 2 is still clearly above S; otherwise twice as many: F does not change
//                      a device too fast for the loader, of rate 2 L: F' is L
//
// Other numbers of workers are left out where a compute shares their CPUs, because they change its speed too. A cell
// that the run itself measured is not predicted. Where Result::checks has trials of a prediction's cell, the
// prediction is compared with them.
std::vector<Prediction> predictions_of(const Result& result, const Judgement& judgement);

}  // namespace loadline
