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
  const Result result = load_result(request.result);
  const std::string text = benchy_json(result, judge_run(result));
  ResultFile(request.output).finish(text);
  return kExitOk;
}

}  // namespace loadline
