#include "harness/cli/run_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "harness/cli/output.h"
#include "harness/cli/rank_session.h"
#include "harness/cli/streams.h"
#include "loaders/error.h"
#include "loaders/storage/file_stamp.h"

namespace loadline {
namespace {

// Checks that the file to continue is still as it was read: another process may have continued it in between.
void check_unchanged(const RunRequest& request) {
  if (!request.earlier_stamp || stamp_of(request.resume) == request.earlier_stamp) return;
  throw Error(fmt::format("--resume {}: another process wrote to it in the meantime; resume it again", request.resume));
}

}  // namespace

bool prints(const RunRequest& request) {
  return request.ranks == nullptr || request.ranks->is_first();
}

std::optional<ResultFile> open_result_file(const MeasuringVerb& verb, const RunRequest& request, const Plan& plan,
                                           const Result& result) {
  if (request.dry_run || !prints(request)) return std::nullopt;
  const std::string& output = request.options.output;
  if (output.empty() && !verb.cells) {
    check_stdout();
    return std::nullopt;
  }
  ResultFile file(output.empty() ? fmt::format("loadline-{}.json", result.run_id) : output,
                  output_rules(request, plan.cells));
  check_unchanged(request);
  return file;
}

std::optional<TraceFile> open_trace_file(const RunRequest& request, const Plan& plan,
                                         const std::optional<ResultFile>& result) {
  if (request.trace.empty() || request.dry_run) return std::nullopt;
  // A path that cannot be followed fails with its own sentence when it is opened.
  const auto whole = [](const std::string& path) {
    std::error_code failed;
    const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, failed);
    return failed ? std::filesystem::path(path) : resolved;
  };
  if (result && !result->to_stdout() && whole(request.trace) == whole(result->path())) {
    throw usage_error(fmt::format("--trace {}: it is the file of the result; name another", request.trace));
  }
  OutputRules rules = output_rules(request, plan.cells);
  rules.kind = OutputRules::Kind::kText;
  rules.goes_on = false;
  return TraceFile(request.trace, rules);
}

}  // namespace loadline
