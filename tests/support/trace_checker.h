// Holds a trace to the Trace Event Format.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loadline::test {

// What is wrong with it, a sentence each; empty: nothing. Beyond the format: on a track slices nest or follow each
// other, and all slices that a flow goes through are of one batch.
std::vector<std::string> faults_of_trace(const std::string& text);

// Names of processes, and of the tracks of one, in the order of the file.
std::vector<std::string> processes_in(const nlohmann::json& trace);
std::vector<std::string> tracks_in(const nlohmann::json& trace, int pid);

// Events of a phase, such as "X", in the order of the file; of a track by its name, if one is given.
std::vector<nlohmann::json> events_in(const nlohmann::json& trace, const std::string& phase,
                                      const std::optional<std::string>& track = {});

}  // namespace loadline::test
