#include "harness/cli/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

#include "harness/cli/baselines.h"
#include "harness/file/document_status.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_stamp.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// Whether the file is one of the dataset's. Called only for an existing output, so it may look at all files.
bool is_in_dataset(const fs::path& file, const fs::path& dataset) {
  std::error_code code;
  if (!fs::is_directory(dataset, code)) return is_same_file(file, dataset);
  for (auto entry = fs::recursive_directory_iterator(dataset, code); entry != fs::recursive_directory_iterator();
       entry.increment(code)) {
    if (entry->is_regular_file(code) && is_same_file(file, entry->path())) return true;
  }
  return false;
}

// The status of the document there; nullopt if it is not one of ours.
std::optional<DocumentStatus> status_at(const fs::path& path) {
  // Larger than any result, and not worth the memory.
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;
  if (fs::file_size(path) > kMostBytes) return std::nullopt;
  return document_status(read_text(path));
}

Error refusal(const fs::path& path, std::string_view why) {
  return Error(fmt::format("cannot write {}: {}", path.string(), why));
}

void check_inputs(const fs::path& path, const OutputRules& rules, bool is_ours) {
  for (const fs::path& input : rules.inputs) {
    if (!is_same_file(path, input)) continue;
    throw usage_error(
        fmt::format("cannot write {}: it is {}, which this command reads", path.string(), input.string()));
  }
  // A result in the dataset's folder is not part of the dataset.
  if (is_ours) return;
  for (const fs::path& dataset : rules.datasets) {
    if (!is_in_dataset(path, dataset)) continue;
    throw usage_error(fmt::format("cannot write {}: it belongs to the dataset {}, which this command reads",
                                  path.string(), dataset.string()));
  }
}

void check_text(const fs::path& path, const OutputRules& rules, const std::optional<DocumentStatus>& there) {
  if (there && there->is_result)
    throw refusal(path, "it holds the result of a run, which only another result may replace");
  if (!rules.overwrite) throw refusal(path, "the file exists already; --overwrite replaces it");
}

void check_result(const fs::path& path, const OutputRules& rules, const std::optional<DocumentStatus>& there) {
  if (!there) {
    if (rules.overwrite && fs::file_size(path) == 0) return;
    throw refusal(path, fs::file_size(path) == 0
                            ? "an empty file exists already; --overwrite replaces it"
                            : "the file is not a loadline result and is not replaced; name another");
  }
  if (there->resumable && rules.kind != OutputRules::Kind::kMerged) {
    throw refusal(path, "it holds the result of a stopped run; continue it with --resume, remove it, or name another");
  }
  if (!there->complete && !there->is_result && rules.kind != OutputRules::Kind::kMerged) {
    throw refusal(path, "it holds the result of a stopped run and is not replaced; remove it or name another");
  }
  if (!rules.overwrite) throw refusal(path, "a result exists already; --overwrite replaces it");
}

}  // namespace

OutputRules output_rules(const RunRequest& request, const std::vector<Cell>& cells) {
  OutputRules rules{.overwrite = request.overwrite};
  if (!request.config.empty() && request.config != "-") rules.inputs.emplace_back(request.config);
  if (!request.baseline.empty()) rules.inputs.push_back(baseline_path("--baseline", request.baseline));
  if (request.earlier) {
    rules.goes_on = is_same_file(request.options.output, request.resume);
    rules.has_trials = rules.goes_on && request.earlier->has_trials();
    if (!rules.goes_on) rules.inputs.emplace_back(request.resume);
  }
  for (const Cell& cell : cells) {
    const bool known = std::ranges::find(rules.datasets, cell.data) != rules.datasets.end();
    if (!known) rules.datasets.push_back(cell.data);
    if (!known && !cell.staged_from.empty()) rules.datasets.push_back(cell.staged_from);
  }
  return rules;
}

void check_output(const fs::path& path, const OutputRules& rules) {
  std::error_code code;
  if (!fs::is_regular_file(path, code)) return;
  const auto there = status_at(path);
  check_inputs(path, rules, there.has_value());
  if (rules.goes_on) return;
  rules.kind == OutputRules::Kind::kText ? check_text(path, rules, there) : check_result(path, rules, there);
}

}  // namespace loadline
