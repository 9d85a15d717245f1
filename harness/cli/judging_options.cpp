#include "harness/cli/judging_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/judging.h"
#include "harness/cli/verb_options.h"
#include "harness/judge/metrics.h"
#include "harness/plan/options.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

constexpr const char* kGroup = "Judging";

std::string metrics_text() {
  std::string text = "Metrics:\n";
  for (const Metric& metric : metrics()) text += fmt::format("  {:<30}{}\n", metric.name, metric.summary);
  return text;
}

// Turns "loader,batch-size" into the names in results.
// A setting may be written like its option.
std::string with_underscores(std::string text) {
  std::ranges::replace(text, '-', '_');
  return text;
}

std::vector<std::string> settings_in(const std::string& text) {
  std::vector<std::string> settings;
  std::istringstream stream(with_underscores(text));
  for (std::string setting; std::getline(stream, setting, ',');) settings.push_back(setting);
  return settings;
}

constexpr std::array<std::string_view, 2> kFailOn{"regression", "inconclusive"};

std::string fail_on_named(const std::string& text) {
  if (std::ranges::find(kFailOn, text) == kFailOn.end()) throw unknown_name("--fail-on", text, kFailOn);
  return text;
}

// A bare 3 is three times, not 3 per cent, and as a margin it lets everything pass.
double margin_named(const std::string& text) {
  const double margin = parse_share("margin", text, 0, 10);
  if (margin < 1 || text.ends_with('%')) return margin;
  throw usage_error(
      fmt::format("--margin {0}: this number means {1:.4g} %; write {0}% for per cent, or {1:.4g}% if you mean that",
                  text, 100 * margin));
}

void add_noise(CLI::App& verb, JudgeRequest& request) {
  verb.add_option("--noise", request.noise,
                  "noise floor from `loadline aa`: smaller changes do not count as changes; none: ignore it [the floor "
                  "of the base's host]")
      ->type_name("FILE")
      ->group(kGroup);
}

// --save-baseline compares nothing, so an option of comparing beside it is a mistake that would go unnoticed.
void refuse_what_keeping_ignores(CLI::App& diff, CLI::Option& keep) {
  constexpr std::array<std::string_view, 5> kUsed{"--save-baseline", "--overwrite", "--color", "--help", "--help-all"};
  for (CLI::Option* option : diff.get_options([](const CLI::Option* one) { return one->nonpositional(); })) {
    if (std::ranges::find(kUsed, option->get_name()) == kUsed.end()) keep.excludes(option);
  }
}

}  // namespace

void add_colours(CLI::App& verb, Colours& colours, const std::string& group) {
  verb.add_option_function<std::string>(
          "--color", [&colours](const std::string& text) { colours = colours_named(text); },
          "colour of verdicts; auto: on a terminal, unless NO_COLOR is set [auto]")
      ->type_name(fmt::format("{}", fmt::join(colour_names(), "|")))
      ->group(group);
}

CLI::Option& add_diff_format(CLI::App& verb, const std::string& flag, std::string& format) {
  const auto take = [flag, &format](const std::string& text) {
    const auto known = diff_formats();
    if (std::ranges::find(known, text) == known.end()) throw unknown_name(flag, text, known);
    format = text;
  };
  return *verb.add_option_function<std::string>(flag, take, "form of what is written [text]")
              ->type_name(fmt::format("{}", fmt::join(diff_formats(), "|")));
}

void add_judging(CLI::App& verb, JudgeRequest& request) {
  verb.add_option("--metric", request.metric, "what to compare, one of the metrics below [samples_per_second]")
      ->type_name("NAME")
      ->group(kGroup);
  verb.add_option_function<std::string>(
          "--margin", [&](const std::string& text) { request.margin = margin_named(text); },
          "changes up to this factor do not matter: 3% is up to 1.03 times as fast or as slow [3%]")
      ->type_name("SHARE")
      ->group(kGroup);
  verb.add_option_function<std::string>(
          "--alpha", [&](const std::string& text) { request.alpha = parse_share("alpha", text, 1e-6, 0.4); },
          "probability of a false alarm over all deciding cells together [0.05]")
      ->type_name("SHARE")
      ->group(kGroup);
  verb.add_option_function<std::string>(
          "--fail-on", [&](const std::string& text) { request.fail_on = fail_on_named(text); },
          "what gives exit code 3: only a regression, or also an inconclusive comparison [regression]")
      ->type_name(fmt::format("{}", fmt::join(kFailOn, "|")))
      ->group(kGroup);
  verb.add_flag("--allow-mismatch", request.allow_mismatch,
                "compare results even if machines, builds, data or cache states differ")
      ->group(kGroup);
}

void add_diff(CLI::App& app, Request& all) {
  CLI::App* diff =
      app.add_subcommand("diff", "Compare two results, or walk through several: regression, improvement or neither");
  auto& request = runs<DiffRequest>(*diff, all, diff_verb);
  diff->add_option(
          "files", request.files,
          "results: the base, unless --baseline names it, then the new one; with more results, a walk step by step")
      ->type_name("FILE...");
  add_judging(*diff, request.judging);
  add_noise(*diff, request.judging);
  diff->add_option_function<std::string>(
          "--by", [&](const std::string& text) { request.by = with_underscores(text); },
          "compare cells within one result along this setting, such as loader")
      ->type_name("SETTING");
  diff->add_option("--base-value", request.base_value, "value of that setting to compare with [the first in the file]")
      ->type_name("VALUE");
  diff->add_flag("--each", request.each, "compare each result with the base instead of the one before it");
  // One text, because a list would also take the files after it.
  diff->add_option_function<std::string>(
          "--across", [&](const std::string& text) { request.across = settings_in(text); },
          "settings in which partners may differ, such as loader,workers [found automatically]")
      ->type_name("SETTING,...");
  diff->add_flag("--allow-missing", request.allow_missing,
                 "judge the rest if a result lacks an IO or FULL cell of the base");
  diff->add_flag("--paired", request.paired, "the two results come from one `loadline ab`: judge round by round");
  diff->add_option("--baseline", request.baseline, "use the result kept under this name as the base")
      ->type_name("NAME");
  CLI::Option* const keep =
      diff->add_option("--save-baseline", request.save_baseline, "keep the given result under this name, and stop")
          ->type_name("NAME");
  add_diff_format(*diff, "--format", request.format);
  diff->add_option("--output,-o", request.output, "file to write; the verdict alone then goes to stdout [stdout]")
      ->type_name("FILE");
  diff->add_flag("--overwrite", request.overwrite, "replace an existing file or baseline");
  add_colours(*diff, request.colours, "Options");
  refuse_what_keeping_ignores(*diff, *keep);
  diff->footer(
      metrics_text() +
      "Cells are matched by their settings. Cells of a workload without a match, as after an optimisation, "
      "are matched one to one, by what they have in common or as --across says, else the fastest IO and the fastest "
      "FULL of each result. IO and FULL of each workload decide, by the fastest of both results, and the fastest of "
      "the base if nothing in the new result reaches its rate; the other cells explain. "
      "In a walk all gains of FULL decide.\n"
      "Exit codes: 0 ok, 1 failed, not comparable or the new result lacks what the base has, even if something else is "
      "a regression, 2 usage, 3 a regression, or with --fail-on inconclusive an inconclusive comparison. With --by no "
      "cell decides, so the exit code is never 3.");
}

}  // namespace loadline
