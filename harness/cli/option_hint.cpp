#include "harness/cli/option_hint.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "loaders/names.h"

namespace loadline {
namespace {

// An option that a verb has under another name than the others, too unlike it to be found as a slip.
struct OtherName {
  std::string_view verb;
  std::string_view option;
  std::string_view own;
};

constexpr std::array kOtherNames{OtherName{"ab", "trials", "--pairs"}};

}  // namespace

std::string option_hint(const CLI::App& verb, std::string_view given, std::span<const std::string_view> names) {
  const std::string_view bare = given.substr(std::min(given.find_first_not_of('-'), given.size()));
  const auto other = std::ranges::find_if(
      kOtherNames, [&](const OtherName& one) { return one.verb == verb.get_name() && one.option == bare; });
  return other == kOtherNames.end() ? hint_of(given, names) : fmt::format(" (did you mean {}?)", other->own);
}

}  // namespace loadline
