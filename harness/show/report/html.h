// The parts that every page of a report is made of, as HTML. Pure functions, safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "harness/show/report/page.h"
#include "harness/show/report/sections.h"

namespace loadline {

// Text for an element or a quoted attribute. HTML has no way to write control characters.
std::string html_escaped(std::string_view text);

// Empty if the text is empty. `kind`: its class in report.css.
std::string paragraph(std::string_view kind, std::string_view text);

std::string command_html(std::string_view command);

// With a place for its chart, if there are `charts` and it has one.
std::string section_html(const Section& section, bool charts);

// Links to the sections of a page, by their identifiers and titles.
std::string contents_html(std::span<const std::pair<std::string, std::string>> sections);

// The beginning of a page, up to its title, and its end.
std::string page_beginning(std::string_view title, const Page& page);
std::string page_end(const Page& page);

}  // namespace loadline
