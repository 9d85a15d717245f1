// One text out of a line of JSON lines.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// Writes the text that the object `line` has as its member `key` to `text`, unescaped, in UTF-8. Of members of one name
// the last counts. Throws Error saying only why: that it is no JSON, no object, or has no such text.
void read_json_text(std::string_view line, std::string_view key, std::string& text);

}  // namespace loadline
