#include "harness/cli/cli.h"
#include "harness/cli/result_file.h"
#include "harness/cli/verbs.h"
#include "harness/judge/judgement.h"
#include "harness/result/result_reader.h"
#include "harness/show/benchy.h"
#include "loaders/names.h"

namespace loadline {

int export_verb(const ExportRequest& request) {
  if (request.to != "benchy") throw unknown_name("--to", request.to, std::vector<std::string_view>{"benchy"});
  const ResultFile file(request.output,
                        {.kind = OutputRules::Kind::kText, .overwrite = request.overwrite, .inputs = {request.result}});
  const Result result = load_result(request.result);
  file.finish(benchy_json(result, judge_run(result)));
  return kExitOk;
}

}  // namespace loadline
