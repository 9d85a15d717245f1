// How a whole run stands in JSON, but for its cells, its ceilings and what is judged of them.
#pragma once

#include <string>

#include "harness/result/json/config.h"
#include "harness/result/json/facts.h"
#include "harness/result/json/record.h"
#include "harness/result/result.h"

namespace loadline {

// XXH3 of what the run was asked to measure.
std::string config_hash(const Result& result);

void run_fields(auto& json, Record<Result> auto& result) {
  json("run_id", result.run_id);
  word(json, "status", result.status, std::array{Status::kPartial, Status::kComplete});
  json("started", result.started);
  json("finished", result.finished);
  json("resumed", result.resumed);
  json("argv", result.arguments);
  json("merged_from", result.merged_from);
  json("config", result.options);
  json.derived("config_hash", [&] { return config_hash(result); });
  json("build", result.environment.build);
  json.since(4, "other_builds", result.other_builds);
  json("machine", result.environment.machine);
  json("job", result.environment.job);
  json("kernels", result.kernels);
  json.late("memory", result.memory);
  json("datasets", result.datasets);
  json.late("loaders", result.loaders);
}

}  // namespace loadline
