// The parts of a report in Markdown. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/show/report/data_table.h"

namespace loadline {

// Text that Markdown, and the HTML in it, would read otherwise.
std::string markdown_escaped(std::string_view text);

std::string table_markdown(const DataTable& table);

// As code, which needs no escaping: fenced by more backticks than any that it has.
std::string code_markdown(const std::string& text);

}  // namespace loadline
