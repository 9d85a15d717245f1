#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/result_file.h"
#include "harness/cli/verbs.h"
#include "harness/judge/judgement.h"
#include "harness/result/result_reader.h"
#include "harness/show/benchy.h"
#include "harness/show/monitor_csv.h"
#include "loaders/names.h"

namespace loadline {

int export_verb(const ExportRequest& request) {
  const std::vector<std::string_view> known{"benchy", "csv"};
  if (std::ranges::find(known, request.to) == known.end()) throw unknown_name("--to", request.to, known);
  const ResultFile file(request.output,
                        {.kind = OutputRules::Kind::kText, .overwrite = request.overwrite, .inputs = {request.result}});
  const Result result = load_result(request.result);
  file.finish(request.to == "csv" ? monitor_csv(result) : benchy_json(result, judge_run(result)));
  return kExitOk;
}

}  // namespace loadline
