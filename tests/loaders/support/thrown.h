// What a piece of work threw, as a value to compare.
#pragma once

#include <ostream>
#include <string>

#include "loaders/error.h"

namespace loadline::test {

// The message and kind of the Error that was thrown. The message is empty if nothing was thrown.
struct Thrown {
  std::string message;
  Error::Kind kind = Error::Kind::kFailed;

  bool operator==(const Thrown&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Thrown& thrown) {
  return out << (thrown.kind == Error::Kind::kUsage ? "usage: " : "failed: ") << thrown.message;
}

template <typename Work>
Thrown thrown_by(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return {error.what(), error.kind()};
  }
  return {};
}

inline Thrown failed(const std::string& message) {
  return {message, Error::Kind::kFailed};
}

inline Thrown usage(const std::string& message) {
  return {message, Error::Kind::kUsage};
}

}  // namespace loadline::test
