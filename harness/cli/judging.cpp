#include "harness/cli/judging.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "harness/cli/baselines.h"
#include "harness/cli/cli.h"
#include "harness/cli/streams.h"
#include "harness/file/diff_json.h"
#include "harness/machine/machine.h"
#include "harness/show/diff_csv.h"
#include "harness/show/diff_text.h"
#include "harness/show/walk_csv.h"
#include "harness/show/walk_text.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

struct DiffFormat {
  std::string_view name;
  std::string (*write)(const std::vector<ResultDiff>& diffs, std::size_t width);
  std::string (*write_walk)(const Walk& walk, std::size_t width);
};

// For formats that other programs read or wrap themselves.
template <std::string (*kWrite)(const std::vector<ResultDiff>& diffs)>
std::string of_any_width(const std::vector<ResultDiff>& diffs, std::size_t) {
  return kWrite(diffs);
}
template <std::string (*kWrite)(const Walk& walk)>
std::string walk_of_any_width(const Walk& walk, std::size_t) {
  return kWrite(walk);
}

constexpr std::array kFormats{DiffFormat{"text", diff_text, walk_text},
                              DiffFormat{"markdown", of_any_width<diff_markdown>, walk_of_any_width<walk_markdown>},
                              DiffFormat{"csv", of_any_width<diff_csv>, walk_of_any_width<walk_csv>},
                              DiffFormat{"json", of_any_width<diff_json>, walk_of_any_width<walk_json>}};

NoiseFloor read_noise(const std::filesystem::path& path) {
  NoiseFloor noise = parse_noise(read_text(path), path.string());
  const std::string poor = poor_noise(noise);
  if (poor.empty()) return noise;
  throw Error(fmt::format("{}: {}; measure it again with `loadline aa`, or ignore it with `loadline diff --noise none`",
                          path.string(), poor));
}

std::vector<NoiseFloor> noise_for(const std::string& asked, const Result& base) {
  if (asked == "none") return {};
  if (!asked.empty()) return {read_noise(asked)};
  std::vector<NoiseFloor> noise;
  for (const std::string& host : hosts_of(base.environment.machine)) {
    std::error_code ignored;
    if (std::filesystem::exists(noise_path(host), ignored)) noise.push_back(read_noise(noise_path(host)));
  }
  return noise;
}

struct Judged {
  Change verdict;
  bool lost;
};

int exit_code(const JudgeRequest& request, const std::vector<Judged>& judged) {
  // Cells that were not compared may be worse than those that were.
  if (std::ranges::any_of(judged, &Judged::lost)) return kExitFailed;
  const bool strict = request.fail_on == "inconclusive";
  const bool fails = std::ranges::any_of(judged, [&](const Judged& one) {
    return one.verdict == Change::kRegression || (strict && one.verdict == Change::kInconclusive);
  });
  return fails ? kExitRegression : kExitOk;
}

}  // namespace

DiffOptions diff_options(const JudgeRequest& request, const Result& base) {
  return {.metric = &metric_named(request.metric),
          .margin = request.margin,
          .alpha = request.alpha,
          .noise = noise_for(request.noise, base),
          .allow_mismatch = request.allow_mismatch};
}

int exit_code(const JudgeRequest& request, const std::vector<ResultDiff>& diffs) {
  std::vector<Judged> judged;
  for (const ResultDiff& diff : diffs) {
    if (diff.along.empty()) judged.push_back({diff.verdict, !diff.lost.empty()});
  }
  return exit_code(request, judged);
}

int exit_code(const JudgeRequest& request, const Walk& walk) {
  return exit_code(request, {{walk.verdict, !walk.lost.empty()}});
}

std::string lost_text(const std::vector<ResultDiff>& diffs) {
  std::vector<std::string> sentences;
  for (const ResultDiff& diff : diffs) sentences.insert(sentences.end(), diff.lost.begin(), diff.lost.end());
  return fmt::format("{}", fmt::join(sentences, "; "));
}

std::string format_diff(const std::string& format, const std::vector<ResultDiff>& diffs, std::size_t width) {
  return row_named(kFormats, "--format", format).write(diffs, width);
}

std::string format_walk(const std::string& format, const Walk& walk, std::size_t width) {
  return row_named(kFormats, "--format", format).write_walk(walk, width);
}

void put_diff(const std::string& format, const std::string& comparison, Colours colours) {
  format == kFormats.front().name ? put_text(stdout, comparison, colours) : put(stdout, comparison);
}

std::vector<std::string_view> diff_formats() {
  return names_of(kFormats);
}

}  // namespace loadline
