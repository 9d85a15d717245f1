// The warnings of a report, folded by kind, each with a link to the section it is about. Pure functions, safe from any
// thread.
#pragma once

#include <span>
#include <string>

#include "harness/show/report/sections.h"

namespace loadline {

// How many there are of each kind, with a link to the list: for the first screen. Empty without warnings.
std::string warning_links_html(const Run& run);

// A closed list a kind; empty without warnings. `sections`: those of the page, one of which each links to.
std::string warnings_html(std::span<const Run> runs, std::span<const Section> sections);

// The section that shows what a warning with this id is about: of those on the page, "" where none does.
std::string_view section_about(std::string_view warning_id, std::span<const Section> sections);

}  // namespace loadline
