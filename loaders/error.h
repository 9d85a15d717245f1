// The one exception type of loadline. A message is one sentence that names the operation, the path or flag, and the
// value that was wrong; the tool prints it unchanged. Control characters, which file names may contain, are made
// visible (printable.h).
#pragma once

#include <stdexcept>
#include <string>

namespace loadline {

class Error : public std::runtime_error {
 public:
  enum class Kind {
    kFailed,       // the environment failed the request: a missing file, a full disk, a corrupt sample
    kUsage,        // the request itself is invalid: an unknown option, an impossible combination
    kInterrupted,  // a stop was requested meanwhile: a call into foreign code was ended
  };

  explicit Error(const std::string& message, Kind kind = Kind::kFailed);

  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

inline Error usage_error(const std::string& message) {
  return Error(message, Error::Kind::kUsage);
}

}  // namespace loadline
