// Results of earlier versions as this one would name things: the one place that knows what fields were called, and what
// they meant, before.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// Results are read from this version on.
inline constexpr int kOldestSchemaVersion = 1;

// `text`, a result of `version`, from kOldestSchemaVersion on, with the fields of this version that it can tell:
// renamed ones under their new names, those that versions up to 3 added at what they stood for when there was no
// choice. Fields that came with version 4 and later it may lack: readers know these by since() of record.h. What was
// judged stays behind, for it follows from the trials. `text` must be JSON. What is not where it should be is left
// alone: the reader refuses it, by name.
std::string upgraded(std::string_view text, int version);

}  // namespace loadline
