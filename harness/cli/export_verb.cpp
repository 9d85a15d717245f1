#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "harness/cli/cli.h"
#include "harness/cli/event_writer.h"
#include "harness/cli/result_file.h"
#include "harness/cli/verbs.h"
#include "harness/file/result_reader.h"
#include "harness/judge/judgement.h"
#include "harness/show/benchy.h"
#include "harness/show/monitor_csv.h"
#include "loaders/names.h"

namespace loadline {
namespace {

// An export of one file. `make` makes its text.
template <typename Make>
void export_text(const ExportRequest& request, const Make& make) {
  if (!request.directory.empty()) {
    throw usage_error(fmt::format("export: {} writes one file, which -o FILE names, and takes no directory {}",
                                  request.to, request.directory));
  }
  const ResultFile file(request.output.empty() ? "-" : request.output,
                        {.kind = OutputRules::Kind::kText, .overwrite = request.overwrite, .inputs = {request.result}});
  file.finish(make(load_result(request.result)));
}

void export_to_benchy(const ExportRequest& request) {
  export_text(request, [](const Result& result) { return benchy_json(result, judge_run(result)); });
}

void export_to_csv(const ExportRequest& request) {
  export_text(request, [](const Result& result) { return monitor_csv(result); });
}

void export_to_tensorboard(const ExportRequest& request) {
  check_tensorboard("--to tensorboard");
  if (request.directory.empty()) throw usage_error("export: want a directory for tensorboard after the result");
  if (!request.output.empty()) throw usage_error("--output: for tensorboard, give a directory after the result");
  if (request.overwrite) throw usage_error("--overwrite: tensorboard event files never replace others");
  write_event_files(request.directory, event_files(load_result(request.result)));
}

struct ExportFormat {
  std::string_view name;
  void (*write)(const ExportRequest& request);
};

constexpr std::array kExportFormats{ExportFormat{"benchy", export_to_benchy}, ExportFormat{"csv", export_to_csv},
                                    ExportFormat{"tensorboard", export_to_tensorboard}};

}  // namespace

int export_verb(const ExportRequest& request) {
  row_named(kExportFormats, "--to", request.to).write(request);
  return kExitOk;
}

}  // namespace loadline
