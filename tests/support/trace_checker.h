// Checks a trace against the Trace Event Format.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loadline::test {

// What is wrong with the trace, one sentence for each fault; empty if nothing is. Beyond the format, slices of a track
// must nest or follow each other, and all slices that a flow goes through must be of one batch.
std::vector<std::string> faults_of_trace(const std::string& text);

// The names of the processes, and of the tracks of one process, in the order of the file.
std::vector<std::string> processes_in(const nlohmann::json& trace);
std::vector<std::string> tracks_in(const nlohmann::json& trace, int pid);

// The events of a phase, such as "X", in the order of the file; only those of `track` if it is given.
std::vector<nlohmann::json> events_in(const nlohmann::json& trace, const std::string& phase,
                                      const std::optional<std::string>& track = {});

}  // namespace loadline::test
