#include "harness/cli/all_loaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "harness/cli/progress.h"
#include "harness/cli/rank_session.h"
#include "harness/cli/side.h"
#include "harness/measure/prepare.h"
#include "harness/plan/plan.h"
#include "loaders/datasets/dataset.h"
#include "loaders/error.h"
#include "loaders/listed.h"
#include "loaders/loader.h"

namespace loadline {
namespace {

bool names_all(const RunOptions& options) {
  return std::ranges::equal(options.loaders, loaders(), {}, {}, &LoaderKind::name);
}

// What decides which data a loader reads. Without the compute, which may be the user's own and never return.
RunOptions reading(const RunOptions& options, const std::string& loader) {
  RunOptions reads;
  reads.workloads = options.workloads;
  reads.modes = {"io"};
  reads.loaders = {loader};
  reads.data = options.data;
  reads.format = options.format;
  reads.split = options.split;
  reads.labels = options.labels;
  reads.in_memory = options.in_memory;
  std::ranges::copy_if(options.axes, std::back_inserter(reads.axes),
                       [](const Axis& axis) { return axis.option == "split" || axis.option == "labels"; });
  return reads;
}

bool is_missing(const Cell& cell) {
  std::error_code ignored;
  return !std::filesystem::exists(cell.data, ignored);
}

// Whether a loader that reads any format finds something at the path of each cell.
bool has_data(const RunOptions& options) {
  try {
    return std::ranges::none_of(make_plan(reading(options, "serial"), this_context()).cells,
                                [](const Cell& cell) { return cell.loader && is_missing(cell); });
  } catch (const Error&) {
    return false;
  }
}

// Empty if it can read the data.
std::string why_unusable(const RunOptions& options, const std::string& loader) {
  try {
    for (const Cell& cell : make_plan(reading(options, loader), this_context()).cells) {
      if (!cell.loader) continue;
      if (is_missing(cell) && !cell.how_to_get_it.empty()) return fmt::format("first run `{}`", cell.how_to_get_it);
      open_for(cell);
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Loaders with the same reason.
struct LeftOutLoaders {
  std::string why;
  std::vector<std::string> names;
};

}  // namespace

void keep_loaders_that_can_read(RunRequest& request) {
  RunOptions& options = request.options;
  if (request.dump_config || !names_all(options)) return;
  if (request.earlier) {
    options.loaders = request.earlier->options.loaders;
    return;
  }
  if (!has_data(options)) return;
  std::vector<LeftOutLoaders> left_out;
  std::erase_if(options.loaders, [&](const std::string& loader) {
    if (!loader_named(loader).access) return false;  // reads every format
    const std::string why = why_unusable(request.options, loader);
    if (why.empty()) return false;
    if (left_out.empty() || left_out.back().why != why) left_out.push_back({.why = why, .names = {}});
    left_out.back().names.push_back(loader);
    return true;
  });
  if (left_out.empty() || (request.ranks != nullptr && !request.ranks->is_first())) return;
  std::vector<std::string> parts;
  for (const LeftOutLoaders& some : left_out) parts.push_back(fmt::format("{} ({})", listed(some.names), some.why));
  Progress(options.quiet).milestone(fmt::format("--loader all leaves out {}", listed(parts)));
}

}  // namespace loadline
