// The parts of a report in Markdown. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/show/report/data_table.h"

namespace loadline {

// Escapes text that Markdown, and the HTML in it, would interpret.
std::string markdown_escaped(std::string_view text);

std::string table_markdown(const DataTable& table);

// As code, which needs no escaping: fenced by more backticks than the text contains.
std::string code_markdown(const std::string& text);

}  // namespace loadline
