#include "harness/plan/one_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace loadline {
namespace {

// Every option that is neither a list nor an axis is listed here once; a test walks the table of options.
struct OneValue {
  std::string_view why;  // of one option
  std::vector<std::string_view> options;
  std::string_view why_all = why;  // of all these options together
};

const std::array kReasons{
    OneValue{"it describes the data, and a workload has one dataset per run",
             {"data", "format", "split", "labels", "hdf5-images", "hdf5-labels", "crops", "token-type", "tokenizer",
              "text-key", "documents"},
             "they describe the data, and a workload has one dataset per run"},
    OneValue{"it follows --dtype, which takes a list", {"normalise"}},
    OneValue{"it changes nothing that is measured", {"on-corrupt"}},
    OneValue{"they are this process's share of a job", {"rank", "world-size"}},
    OneValue{"it applies to the whole run",
             {"stage",
              "rank-timeout",
              "seed",
              "part",
              "max-cells",
              "trials",
              "trial-seconds",
              "trial-batches",
              "warm-up-batches",
              "time-limit",
              "until-ci",
              "max-trials",
              "first-epoch-seconds",
              "ceilings",
              "monitor",
              "counters",
              "au",
              "check-verdict",
              "find",
              "output",
              "quiet"},
             "they apply to the whole run"},
};

}  // namespace

std::string_view why_one_value(const OptionRow& row) {
  for (const OneValue& reason : kReasons) {
    if (std::ranges::find(reason.options, row.name) != reason.options.end()) return reason.why;
  }
  return "";
}

std::string one_value_text() {
  std::string text;
  for (const OneValue& reason : kReasons) {
    std::string names;
    for (const std::string_view option : reason.options) {
      names += fmt::format("{}--{}", names.empty() ? "" : ", ", option);
    }
    text += fmt::format("  {}: {}\n", names, reason.why_all);
  }
  return text;
}

}  // namespace loadline
