// The help of a verb, by sections.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

// A verb of many options shows those of a few sections, and of the others the names alone.
enum class HelpExtent { kShort, kAll };

// In at most `width` columns, as far as words allow. `more` stands behind the options, in whole help alone.
std::string help_text(const CLI::App& verb, HelpExtent extent, std::string_view more, std::size_t width);

// Prints it on stdout, as wide as the terminal. Returns an exit code.
int print_help(const CLI::App& verb, HelpExtent extent);

// The verb that `words` lead to from `app`, and behind it the section they ask for by the beginning of one of its
// words. Throws usage Error naming the nearest verb, or the sections, where there is no such thing.
struct HelpSubject {
  const CLI::App* verb;
  std::string section;  // empty: the whole verb
};
HelpSubject help_subject(const CLI::App& app, const std::vector<std::string>& words);

// One section, with the full text of every option.
std::string section_text(const HelpSubject& subject, std::size_t width);

}  // namespace loadline
