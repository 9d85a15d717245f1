#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "harness/ceilings/ceilings.h"
#include "harness/cli/baselines.h"
#include "harness/cli/cli.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/plan/workloads.h"
#include "harness/result/result_reader.h"
#include "harness/show/columns.h"
#include "harness/show/report/page.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/printable.h"
#include "loaders/transforms/kernels.h"
#include "synthetic/compute/compute.h"
#include "synthetic/compute/device_profiles.h"
#include "synthetic/generate/generate.h"

namespace loadline {
namespace {

template <typename Table>
std::string table_text(std::string_view title, const Table& table) {
  std::string text = fmt::format("{}\n", title);
  for (const auto& row : table) text += fmt::format("  {:<14} {}\n", row.name, row.summary);
  return text + '\n';
}

std::string values_text(const ComputeParameter& parameter) {
  if (parameter.required) {
    return parameter.stand_in.empty() ? "required" : fmt::format("required, or {}", parameter.stand_in);
  }
  if (parameter.words.empty()) return fmt::format("default {}", parameter.standard);
  return fmt::format("{}; default {}", fmt::join(parameter.words, ", "),
                     parameter.words[static_cast<std::size_t>(parameter.standard)]);
}

std::string computes_text() {
  std::string text = "compute (--compute)\n";
  for (const ComputeKind& kind : computes()) {
    text += fmt::format("  {:<14} {}\n", kind.name, kind.summary);
    for (const ComputeParameter& parameter : kind.parameters) {
      text += fmt::format("  {:<14}   {}: {} ({})\n", "", parameter.name, parameter.help, values_text(parameter));
    }
  }
  for (const LeftOut& row : computes_left_out()) {
    text += fmt::format("  {:<14} left out: {}\n", row.name, row.reason);
  }
  return text + '\n';
}

std::string profiles_text() {
  std::string text = "profiles (--compute device:profile=NAME)\n";
  for (const DeviceProfile& profile : kDeviceProfiles) {
    text += fmt::format("  {:<21} {:8.2f} samples/s at batch {:<4} {}\n", profile.name, profile.samples_per_second,
                        profile.batch_size, profile.source);
  }
  return text + '\n';
}

std::string kernels_text() {
  std::string text = "kernels (--kernels)\n ";
  for (const Kernels* kernels : supported_kernels()) text += fmt::format(" {}", kernels->name);
  return text + '\n';
}

std::string reports_text() {
  return fmt::format("reports (loadline report)\n  {:<14} {}\n\n", "charts",
                     embedded_page().libraries.empty() ? "left out: built without npm, which brings what draws them"
                                                       : "by Vega-Lite, in HTML");
}

std::string baseline_text(const std::string& name) {
  try {
    const Result result = load_result(baseline_path("--baseline", name));
    return fmt::format("{} of {}, on {}", plural(result.cells.size(), "cell"), result.started,
                       result.environment.machine.hostname.value_or("an unknown host"));
  } catch (const Error& error) {
    return fmt::format("cannot be read: {}", error.what());
  }
}

std::string baselines_text() {
  std::string text = "baselines (--baseline)\n";
  const auto names = baseline_names();
  if (names.empty())
    text += fmt::format("  none in {}, --save-baseline keeps one\n", printable(baselines_directory().string()));
  for (const std::string& name : names) text += fmt::format("  {:<14} {}\n", name, baseline_text(name));
  return text;
}

}  // namespace

int list_verb() {
  put(stdout, table_text("workloads (--workload)", workloads()) + table_text("loaders (--loader)", loaders()) +
                  computes_text() + profiles_text() + table_text("formats (--format)", dataset_formats()) +
                  table_text("ceilings (loadline ceilings)", ceiling_kinds()) +
                  table_text("generators (loadline data make)", generators()) + reports_text() + kernels_text() +
                  baselines_text());
  return kExitOk;
}

}  // namespace loadline
