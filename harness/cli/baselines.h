// Results that are kept by name, for later ones to be compared with, and the noise floors of hosts.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/file/listing.h"

namespace loadline {

// $LOADLINE_BASELINES, or loadline/baselines in $XDG_DATA_HOME or ~/.local/share.
std::filesystem::path baselines_directory();

// Where the baseline of this name is or will be. Throws usage Error naming `option` for a name that is no plain file
// name.
std::filesystem::path baseline_path(std::string_view option, std::string_view name);

// The same, of one that has to be there; the Error names the nearest that is.
std::filesystem::path existing_baseline(std::string_view option, std::string_view name);

// Where the baseline of this name will be. Throws Error where there is one already, unless that may be overwritten.
std::filesystem::path new_baseline(std::string_view option, std::string_view name, bool overwrite);

// Of all that are kept, in the order of the alphabet.
std::vector<std::string> baseline_names();

// The same with what is in them.
std::vector<ListedBaseline> listed_baselines();

// Keeps a result as the baseline at `path`. What was there before goes into its history, which holds the last hundred.
// Throws Error naming the file.
void keep_baseline(const std::filesystem::path& path, std::string_view text);

// All results that have had the name, the oldest first and the present one last.
std::vector<std::filesystem::path> baseline_history(std::string_view option, std::string_view name);

// Removes a baseline with its history; returns how many were in that.
std::size_t delete_baseline(std::string_view option, std::string_view name);

// Of a host.
std::filesystem::path noise_path(std::string_view hostname);

// Writes the file whole or not at all, and its directory if that is not there. Throws Error naming it.
void keep(const std::filesystem::path& path, std::string_view text);

}  // namespace loadline
