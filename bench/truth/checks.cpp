#include "bench/truth/checks.h"

#include <fmt/format.h>

#include "bench/truth/consistency.h"
#include "harness/show/figures_text.h"
#include "harness/show/table.h"

namespace loadline::truth {

std::string_view short_name(NoiseKind kind) {
  switch (kind) {
    case NoiseKind::kOneInTen: return "one-in-ten";
    case NoiseKind::kVerySkewed: return "very-skewed";
    default: return name(kind);
  }
}

void check_statements(Tally& tally, const Result& result, const Judgement& judgement, const std::string& subject) {
  const auto pairs = contradictions(figures_text(result, judgement) + warning_text(judgement));
  tally.count("consistent", !pairs.empty());
  for (const std::string& pair : pairs) tally.example("consistent", fmt::format("{} -- {}", pair, subject));
}

}  // namespace loadline::truth
