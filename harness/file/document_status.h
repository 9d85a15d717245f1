// What a file that loadline wrote is, without all that is in it.
#pragma once

#include <optional>
#include <string_view>

namespace loadline {

struct DocumentStatus {
  bool is_result = false;  // of `run`, `ceilings`, `ab` or `merge`; otherwise of `train`, `aa` or `scale`
  bool complete = false;   // rather than stopped
};

// Of a result, a training, a noise floor or a scaling study, of whatever version. std::nullopt where the text is
// something else, is cut short or is no JSON.
std::optional<DocumentStatus> document_status(std::string_view text);

}  // namespace loadline
