#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/ceilings/ceilings.h"
#include "harness/cli/baselines.h"
#include "harness/cli/cli.h"
#include "harness/cli/made_kinds.h"
#include "harness/cli/screen.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/file/listing.h"
#include "harness/forecast/simgrid.h"
#include "harness/plan/workloads.h"
#include "harness/show/baselines_text.h"
#include "harness/show/report/page.h"
#include "harness/show/tensorboard/events.h"
#include "loaders/loader.h"
#include "loaders/transforms/kernels.h"
#include "loaders/transforms/sentencepiece.h"
#include "synthetic/compute/compute.h"
#include "synthetic/compute/device_profiles.h"

namespace loadline {
namespace {

template <typename Table>
std::size_t widest_name(const Table& table) {
  std::size_t widest = 0;
  for (const auto& row : table) widest = std::max(widest, row.name.size());
  return widest;
}

template <typename Table>
std::string table_text(std::string_view title, const Table& table) {
  const std::size_t widest = widest_name(table);
  std::string text = fmt::format("{}\n", title);
  for (const auto& row : table) text += fmt::format("  {:<{}}  {}\n", row.name, widest, row.summary);
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

std::string loaders_text() {
  std::string text = table_text("loaders (--loader)", loaders());
  text.pop_back();  // the empty line behind a table
  return text + fmt::format("  {:<{}}  {}\n\n", "./FILE.so", widest_name(loaders()),
                            "a plug-in given by its path: your own loader in C or C++");
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
  return text + "\n\n";
}

std::string reports_text() {
  const std::string tensorboard = why_no_tensorboard().empty() ? "event files, by `train` and `export`"
                                                               : fmt::format("left out: {}", why_no_tensorboard());
  return fmt::format("reports (loadline report)\n  {:<14} {}\n  {:<14} {}\n\n", "charts",
                     embedded_page().libraries.empty() ? "left out: built without npm, which provides the chart library"
                                                       : "by Vega-Lite, in HTML",
                     "tensorboard", tensorboard);
}

std::string forecasts_text() {
  const std::string why = why_no_simgrid();
  return fmt::format("forecasts (loadline forecast)\n  {:<14} {}\n  {:<14} {}\n\n", "closed form", "in milliseconds",
                     "--simulate", why.empty() ? "with SimGrid, step by step" : fmt::format("left out: {}", why));
}

std::string tokenizers_text() {
  const std::string why = why_no_sentencepiece();
  return fmt::format("tokenizers (--tokenizer)\n  {:<14} {}\n  {:<14} {}\n\n", kBytesTokenizer, "one token per byte",
                     "FILE", why.empty() ? "a SentencePiece model" : fmt::format("left out: {}", why));
}

std::string names_text() {
  return "baselines (--baseline)\n" + baselines_text(listed_baselines(), baselines_directory().string());
}

template <typename Table>
std::vector<ListedName> listed_names(const Table& table) {
  std::vector<ListedName> rows;
  for (const auto& row : table) rows.push_back({std::string(row.name), std::string(row.summary)});
  return rows;
}

std::vector<ListedCompute> listed_computes() {
  std::vector<ListedCompute> rows;
  for (const ComputeKind& kind : computes()) {
    ListedCompute row{.name = std::string(kind.name), .summary = std::string(kind.summary)};
    for (const ComputeParameter& parameter : kind.parameters) {
      const bool number = parameter.words.empty() && !parameter.required;
      row.parameters.push_back({.name = std::string(parameter.name),
                                .help = std::string(parameter.help),
                                .required = parameter.required,
                                .standard = number ? std::optional(parameter.standard) : std::nullopt,
                                .values = {parameter.words.begin(), parameter.words.end()}});
      if (parameter.words.empty()) continue;
      row.parameters.back().standard_word = row.parameters.back().values[static_cast<std::size_t>(parameter.standard)];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Listing listing() {
  Listing all{.workloads = listed_names(workloads()),
              .loaders = listed_names(loaders()),
              .computes = listed_computes(),
              .formats = listed_names(dataset_formats()),
              .ceilings = listed_names(ceiling_kinds()),
              .generators = listed_names(made_kinds()),
              .charts = !embedded_page().libraries.empty(),
              .tensorboard = why_no_tensorboard().empty(),
              .baselines = listed_baselines()};
  for (const LeftOut& row : computes_left_out()) {
    all.computes_left_out.push_back({std::string(row.name), std::string(row.reason)});
  }
  for (const DeviceProfile& profile : kDeviceProfiles) {
    all.profiles.push_back(
        {std::string(profile.name), profile.samples_per_second, profile.batch_size, std::string(profile.source)});
  }
  for (const Kernels* kernels : supported_kernels()) all.kernels.emplace_back(kernels->name);
  return all;
}

}  // namespace

int list_verb(const ListRequest& request) {
  if (request.json) {
    put(stdout, listing_json(listing()));
    return kExitOk;
  }
  put_text(stdout, table_text("workloads (--workload)", workloads()) + loaders_text() + computes_text() +
                       profiles_text() + table_text("formats (--format)", dataset_formats()) +
                       table_text("ceilings (loadline ceilings)", ceiling_kinds()) +
                       table_text("generators (loadline data make)", made_kinds()) + reports_text() + forecasts_text() +
                       tokenizers_text() + kernels_text() + names_text());
  return kExitOk;
}

}  // namespace loadline
