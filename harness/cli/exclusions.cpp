#include "harness/cli/exclusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/cli/progress.h"

namespace loadline {
namespace {

bool has_text(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

}  // namespace

void tell_idle_exclusions(std::span<const Plan> plans) {
  std::vector<std::string> told;
  for (const Plan& plan : plans) {
    for (const std::string& text : plan.idle_exclusions) {
      const auto excludes = [&](const Plan& one) {
        return has_text(one.options.exclude, text) && !has_text(one.idle_exclusions, text);
      };
      if (has_text(told, text) || std::ranges::any_of(plans, excludes)) continue;
      Progress(plan.options.quiet).milestone(fmt::format("--exclude: no cell meets {}", text));
      told.push_back(text);
    }
  }
}

}  // namespace loadline
