// Converts results of earlier versions to this one: the only place that knows what fields were called, and meant,
// before.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// The oldest version that can be read.
inline constexpr int kOldestSchemaVersion = 1;

// Returns `text`, a result of `version` (kOldestSchemaVersion or later), with the fields of this version: renamed
// fields get their new names, and fields that versions up to 3 added get the value that applied before there was a
// choice. Fields added by version 4 and later may be missing: readers handle these by since() in record.h. Judgements
// are dropped, since they follow from the trials. `text` must be JSON. Anything out of place is left alone: the
// reader refuses it by name.
std::string upgraded(std::string_view text, int version);

}  // namespace loadline
