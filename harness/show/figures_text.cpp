#include "harness/show/figures_text.h"

#include <fmt/format.h>

#include "harness/judge/spread.h"
#include "harness/show/best_text.h"
#include "harness/show/ceilings_table.h"
#include "harness/show/loader_stages_table.h"
#include "harness/show/predictions_text.h"
#include "harness/show/ranks_text.h"
#include "harness/show/recommendation_text.h"
#include "harness/show/scaling_text.h"
#include "harness/show/schedule_text.h"
#include "harness/show/search_text.h"
#include "harness/show/stages_table.h"
#include "harness/show/table.h"

namespace loadline {

namespace {

// All of them, because the table shows only the lowest limit of each row.
std::string ceilings_part(const Result& result, const Judgement& judgement, std::size_t width) {
  return result.ceilings.empty() ? "" : "ceilings: " + ceilings_text(result, judgement, width);
}

}  // namespace

std::string figures_text(const Result& result, const Judgement& judgement, std::size_t width) {
  if (result.of_ceilings()) return ceilings_text(result, judgement, width);
  std::string text = fmt::format("{}\n{}{}", table_text(result, judgement, width), verdict_text(judgement),
                                 stopped_text(result, judgement));
  text += stragglers_text(result, judgement);
  if (const auto spread = spread_of(result, judgement.cells)) text += spread_sentence(*spread, result) + '\n';
  for (const std::string& part :
       {recommendation_text(result, judgement), curves_text(result, judgement, width),
        predictions_text(result, judgement), search_text(result, judgement), best_text(result, judgement),
        ceilings_part(result, judgement, width), loader_stages_text(result, judgement, width),
        stages_text(result, judgement, width), rank_rates_text(result, judgement, width)}) {
    if (!part.empty()) text += '\n' + part;
  }
  return text;
}

}  // namespace loadline
