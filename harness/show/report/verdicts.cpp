#include "harness/show/report/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/show/predictions_text.h"
#include "harness/show/search_text.h"
#include "harness/show/table.h"

namespace loadline {
namespace {

void append_lines(const std::string& text, std::vector<std::string>& lines) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
}

std::vector<std::string> warnings_of(const Run& run) {
  std::vector<std::string> warnings;
  if (run.result.status == Status::kPartial)
    warnings.push_back("The run did not finish: this is what it had measured.");
  for (const CellResult& cell : run.result.cells) {
    if (cell.error) warnings.push_back(fmt::format("{} failed: {}", cell.cell.name(), *cell.error));
  }
  for (const CeilingResult& ceiling : run.result.ceilings) {
    if (ceiling.error) warnings.push_back(fmt::format("{} failed: {}", ceiling.ceiling.id(), *ceiling.error));
  }
  for (const Warning& warning : run.judgement.warnings) {
    warnings.push_back(fmt::format("{} [{}]", warning.message, warning.id));
  }
  return warnings;
}

std::string command_of(const Result& result) {
  std::string command;
  for (const std::string& word : result.arguments) command += (command.empty() ? "" : " ") + shell_word(word);
  return command;
}

}  // namespace

RunVerdict verdict_of(const Run& run) {
  const Result& result = run.result;
  RunVerdict verdict{.title = fmt::format("{}: {}, started {} on {}", run.name, result.run_id, result.started,
                                          result.environment.machine.hostname.value_or("an unknown host")),
                     .warnings = warnings_of(run),
                     .command = command_of(result)};
  append_lines(verdict_text(run.judgement), verdict.sentences);
  append_lines(search_text(result, run.judgement), verdict.sentences);
  append_lines(predictions_text(result, run.judgement), verdict.sentences);
  if (verdict.sentences.empty())
    verdict.sentences.push_back("No loader has trials, so nothing can be said of loading.");
  return verdict;
}

std::string shell_word(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=:,./@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace loadline
