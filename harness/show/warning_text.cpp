#include "harness/show/warning_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/judge/warnings.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

std::string lines_of(const std::vector<Warning>& warnings) {
  std::string text;
  for (const Warning& warning : folded(warnings)) {
    text += fmt::format("warning: {} [{}]\n", printable(warning.message), warning.id);
  }
  return text;
}

const CellResult* first_failure(const Result& result) {
  const auto failed = std::ranges::find_if(result.cells, [](const CellResult& cell) { return cell.error.has_value(); });
  return failed == result.cells.end() ? nullptr : &*failed;
}

}  // namespace

std::string warning_text(const Judgement& judgement) {
  return lines_of(judgement.warnings);
}

std::string failure_text(const Result& result) {
  const CellResult* const first = first_failure(result);
  if (first == nullptr) return "";
  std::size_t same = 0;
  std::size_t others = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.error) ++(cell.error == first->error ? same : others);
  }
  std::string text = first->cell.name();
  if (same > 1) text += fmt::format(" and {}", plural(same - 1, "other cell"));
  text += fmt::format(": {}", *first->error);
  if (first->cell.on_corrupt == OnCorrupt::kFail && first->error->starts_with("cannot decode ")) {
    text += fmt::format("; --on-corrupt skip leaves such samples out, and `loadline data verify {}` lists them",
                        first->cell.data.string());
  }
  if (others > 0) text += fmt::format("; {} failed with other messages, listed in the result", plural(others, "cell"));
  return text;
}

std::string warnings_beside(std::string_view failure, const Result& result, const Judgement& judgement) {
  if (failure.empty()) return warning_text(judgement);
  const std::string& reason = *first_failure(result)->error;
  std::vector<Warning> others = judgement.warnings;
  std::erase_if(others, [&](const Warning& warning) {
    return warning.id == "cell-failed" || (warning.id == "ceiling-failed" && warning.message.ends_with(reason));
  });
  return lines_of(others);
}

}  // namespace loadline
