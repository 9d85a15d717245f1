// Reads environment variables. An empty one counts as unset, as the XDG specification says.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace loadline {

// nullopt if the variable is unset or empty. Any thread, as long as none changes the environment.
std::optional<std::string> variable(const char* name);

// The user's cache directory: $XDG_CACHE_HOME, else .cache in $HOME. It need not exist. nullopt if neither is set.
std::optional<std::filesystem::path> cache_directory();

}  // namespace loadline
