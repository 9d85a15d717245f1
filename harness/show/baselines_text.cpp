#include "harness/show/baselines_text.h"

#include <fmt/format.h>

#include "harness/judge/phrase.h"
#include "harness/show/columns.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

std::string what_it_is(const ListedBaseline& baseline) {
  if (baseline.error) return fmt::format("cannot be read: {}", *baseline.error);
  std::string text =
      fmt::format("{} of {}, on {}", plural(baseline.cells.value_or(0), "cell"),
                  baseline.started.value_or("an unknown time"), baseline.host.value_or("an unknown host"));
  if (baseline.former > 0) text += fmt::format("; {} before it", plural(baseline.former, "result"));
  return text;
}

}  // namespace

std::string baselines_text(const std::vector<ListedBaseline>& baselines, std::string_view directory) {
  if (baselines.empty()) return fmt::format("  none in {}; --save-baseline keeps one\n", printable(directory));
  std::string text;
  for (const ListedBaseline& baseline : baselines)
    text += fmt::format("  {:<14} {}\n", baseline.name, what_it_is(baseline));
  return text;
}

}  // namespace loadline
