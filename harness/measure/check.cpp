#include "harness/measure/check.h"

#include "harness/judge/judgement.h"

namespace loadline {

void add_checks(Result& result) {
  for (const Prediction& prediction : judge_run(result).predictions) {
    if (!prediction.identity) result.checks.push_back({.cell = prediction.cell, .dataset = prediction.dataset});
  }
}

}  // namespace loadline
