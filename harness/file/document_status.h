// What kind of file loadline wrote, and whether it is complete, without reading all of it.
#pragma once

#include <optional>
#include <string_view>

namespace loadline {

struct DocumentStatus {
  bool is_result = false;  // by `run`, `ceilings`, `ab` or `merge`; otherwise by `train`, `aa` or `scale`
  bool complete = false;   // rather than stopped
  bool resumable = false;  // stopped, and --resume can continue it
};

// The status of a result, a training run, a noise floor or a scaling study of any version. std::nullopt where the text
// is something else, is truncated or is not JSON.
std::optional<DocumentStatus> document_status(std::string_view text);

}  // namespace loadline
