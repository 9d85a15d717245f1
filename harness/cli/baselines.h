// Baselines, which are results kept by name to compare later ones with, and the noise floors of hosts.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/file/listing.h"
#include "harness/result/result.h"

namespace loadline {

// $LOADLINE_BASELINES, or loadline/baselines in $XDG_DATA_HOME or ~/.local/share.
std::filesystem::path baselines_directory();

// The path of the baseline with this name, whether or not it exists. Throws usage Error naming `option` if the name
// is not a plain file name.
std::filesystem::path baseline_path(std::string_view option, std::string_view name);

// The same for a baseline that must exist; otherwise the Error suggests the nearest name.
std::filesystem::path existing_baseline(std::string_view option, std::string_view name);

// The same for a baseline to be written. Throws Error if it exists already, unless `overwrite`.
std::filesystem::path new_baseline(std::string_view option, std::string_view name, bool overwrite);

// The names of all baselines, in alphabetical order.
std::vector<std::string> baseline_names();

// The same with their contents.
std::vector<ListedBaseline> listed_baselines();

// Why a result cannot be a baseline, as in "its run was stopped"; empty if it can: it is complete, no cell failed, and
// all have trials.
std::string why_no_baseline(const Result& result);

// Keeps a result as the baseline at `path`. A baseline that it replaces goes into the history, which holds the last
// hundred. Throws Error naming the file.
void keep_baseline(const std::filesystem::path& path, std::string_view text);

// All results that have had this name, from the oldest to the current one.
std::vector<std::filesystem::path> baseline_history(std::string_view option, std::string_view name);

// Removes a baseline with its history; returns how many results the history held.
std::size_t delete_baseline(std::string_view option, std::string_view name);

// The path of a host's noise floor.
std::filesystem::path noise_path(std::string_view hostname);

// Throws Error if keep() could not write there; creates the directory if missing.
void check_keepable(const std::filesystem::path& path);
// Writes the file completely or not at all, and creates its directory if missing. Throws Error naming the file.
void keep(const std::filesystem::path& path, std::string_view text);

}  // namespace loadline
