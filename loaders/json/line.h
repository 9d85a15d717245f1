// Extracts one text from a line of JSON lines.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// Writes the text member `key` of the JSON object `line` to `text`, unescaped, in UTF-8. If several members have this
// name, the last one counts. Throws Error with only the reason: not JSON, not an object, or no such text.
void read_json_text(std::string_view line, std::string_view key, std::string& text);

// The line from which read_json_text() reads this `text`, without the line's end. `text` is UTF-8.
std::string json_line_of(std::string_view key, std::string_view text);

}  // namespace loadline
