// What `loadline list` and `loadline baseline list` show, as plain data and as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace loadline {

struct ListedName {
  std::string name;
  std::string summary;
};

struct ListedParameter {
  std::string name;
  std::string help;  // with its unit
  bool required = false;
  std::optional<double> standard;            // nullopt: required, or it takes one of the words
  std::vector<std::string> values;           // words; empty: it takes a number
  std::optional<std::string> standard_word;  // one of `values`
};

struct ListedCompute {
  std::string name;
  std::string summary;
  std::vector<ListedParameter> parameters;
};

struct ListedProfile {
  std::string name;
  double samples_per_second = 0;
  std::size_t batch_size = 0;
  std::string source;
};

struct ListedBaseline {
  std::string name;
  std::string path;
  std::optional<std::string> started;  // of its run, in UTC; nullopt if it cannot be read
  std::optional<std::string> host;
  std::optional<std::size_t> cells;
  std::size_t former = 0;            // results that had the name before
  std::optional<std::string> error;  // why it cannot be read
};

struct Listing {
  std::vector<ListedName> workloads;
  std::vector<ListedName> loaders;
  std::vector<ListedCompute> computes;
  std::vector<ListedName> computes_left_out;  // not in this build: why, and how to get them
  std::vector<ListedProfile> profiles;
  std::vector<ListedName> formats;
  std::vector<ListedName> ceilings;
  std::vector<ListedName> generators;
  std::vector<std::string> kernels;
  bool charts = false;       // whether reports have them
  bool tensorboard = false;  // whether event files can be written
  std::vector<ListedBaseline> baselines;
};

// Indented. What is missing is null.
std::string listing_json(const Listing& listing);
std::string baselines_json(const std::vector<ListedBaseline>& baselines);

}  // namespace loadline
