#include "harness/show/report/verdicts.h"

#include <fmt/format.h>

#include <sstream>

#include "harness/judge/spread.h"
#include "harness/judge/warnings.h"
#include "harness/plan/command.h"
#include "harness/show/predictions_text.h"
#include "harness/show/recommendation_text.h"
#include "harness/show/search_text.h"
#include "harness/show/table.h"

namespace loadline {
namespace {

void append_lines(const std::string& text, std::vector<std::string>& lines) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (!line.empty()) lines.push_back(line);
  }
}

void append_warnings(const std::vector<Warning>& warnings, std::vector<std::string>& lines) {
  for (const Warning& warning : warnings) lines.push_back(fmt::format("{} [{}]", warning.message, warning.id));
}

std::vector<std::string> warnings_of(const Run& run) {
  std::vector<std::string> warnings;
  if (run.result.status == Status::kPartial) warnings.push_back(unfinished_text(run.result));
  append_warnings(folded(run.judgement.warnings), warnings);
  return warnings;
}

std::vector<std::string> all_warnings_of(const Run& run) {
  std::vector<std::string> warnings;
  append_warnings(run.judgement.warnings, warnings);
  return warnings.size() > folded(run.judgement.warnings).size() ? warnings : std::vector<std::string>();
}

std::string noise_of(const Run& run) {
  const auto spread = spread_of(run.result, run.judgement.cells);
  return spread ? spread_sentence(*spread, run.result) : "";
}

std::string command_of(const Result& result) {
  std::string command;
  for (const std::string& word : result.arguments) command += (command.empty() ? "" : " ") + shell_quoted(word);
  return command;
}

}  // namespace

std::string unfinished_text(const Result& result) {
  return result.merged_from.empty() ? "The run did not finish; this is what it measured."
                                    : "Parts of the run are missing, or were stopped; this is what was merged.";
}

RunVerdict verdict_of(const Run& run) {
  const Result& result = run.result;
  RunVerdict verdict{.title = fmt::format("{}: {}, started {} on {}", run.name, result.run_id, result.started,
                                          result.environment.machine.hostname.value_or("an unknown host")),
                     .noise = noise_of(run),
                     .warnings = warnings_of(run),
                     .all_warnings = all_warnings_of(run),
                     .command = command_of(result)};
  append_lines(verdict_text(run.judgement), verdict.sentences);
  append_lines(search_text(result, run.judgement), verdict.sentences);
  append_lines(recommendation_text(result, run.judgement), verdict.advice);
  append_lines(predictions_text(result, run.judgement), verdict.predictions);
  if (verdict.sentences.empty())
    verdict.sentences.push_back("No loader has trials, so nothing can be said about loading.");
  return verdict;
}

bool is_command(std::string_view line) {
  return line.starts_with("loadline run ") || line.starts_with("python3 -m loadline run ");
}

}  // namespace loadline
