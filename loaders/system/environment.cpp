#include "loaders/system/environment.h"

#include <cstdlib>

namespace loadline {

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

std::optional<std::filesystem::path> cache_directory() {
  if (const auto cache = variable("XDG_CACHE_HOME")) return *cache;
  if (const auto home = variable("HOME")) return std::filesystem::path(*home) / ".cache";
  return std::nullopt;
}

}  // namespace loadline
