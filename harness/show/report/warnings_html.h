// The warnings of a report, folded by kind, each with a link to the section that it concerns. Pure functions, safe
// from any thread.
#pragma once

#include <span>
#include <string>

#include "harness/show/report/sections.h"

namespace loadline {

// For the first screen: how many there are of each kind, with a link to the list. Empty without warnings.
std::string warning_links_html(const Run& run);

// One collapsed list per kind; empty without warnings. `sections`: the sections of the page, which the lists link to.
std::string warnings_html(std::span<const Run> runs, std::span<const Section> sections);

// The id of the page's section that shows what a warning with this id is about; "" if there is none.
std::string_view section_about(std::string_view warning_id, std::span<const Section> sections);

}  // namespace loadline
