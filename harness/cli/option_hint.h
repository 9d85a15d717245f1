// What to suggest for an option that a verb does not have.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

// The option that `verb` has in place of `given` (with or without dashes), which other verbs have; otherwise hint_of()
// the names.
std::string option_hint(const CLI::App& verb, std::string_view given, std::span<const std::string_view> names);

}  // namespace loadline
