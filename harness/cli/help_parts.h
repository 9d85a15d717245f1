// Parts that the pages of help have in common.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
class Option;
}  // namespace CLI

namespace loadline {

std::string lowered(std::string_view text);

// Whether the verb has too many options for one page.
bool is_long(const CLI::App& verb);

// The sections of a verb that have options, by their headings.
std::vector<std::string> sections_with_options(const CLI::App& verb);

// The name in a heading: text in parentheses after it is only for the page of the section.
std::string section_name(std::string_view section);

// "-o, --output FILE".
std::string flags_of(const CLI::Option& option);

// The name, followed by its description in a column of its own.
std::string help_entry(const std::string& name, const std::string& what, std::size_t width);

// The verbs below a verb, each with its description; empty if there are none.
std::string verbs_text(const CLI::App& app, std::size_t width);

// A section with its options.
std::string section_text(const CLI::App& verb, const std::string& section, std::size_t width);

// The names of sections and of their options.
std::string names_in_sections(const CLI::App& verb, const std::vector<std::string>& sections, std::size_t width);

}  // namespace loadline
