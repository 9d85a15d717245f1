// Gives every test of the command line its own directory and small datasets, which take milliseconds to measure.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cli/tool.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/support/this_build.h"

namespace loadline::test {

using Words = std::vector<std::string>;

inline Words operator+(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The lines of stderr that begin with "loadline: ", without that prefix.
inline Words refusals(const Outcome& outcome) {
  static constexpr std::string_view kPrefix = "loadline: ";
  Words found;
  std::string_view rest = outcome.err;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size() - 1);
    const std::string_view line = rest.substr(0, end);
    if (line.starts_with(kPrefix)) found.emplace_back(line.substr(kPrefix.size()));
    rest.remove_prefix(end + 1);
  }
  return found;
}

// Expects that the tool printed only this sentence and ended with this code.
inline void expect_refusal(const Outcome& outcome, int exit_code, const std::string& sentence) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_EQ(outcome.err, "loadline: " + sentence + "\n");
  EXPECT_EQ(outcome.out, "");
}

class CommandLine : public testing::Test {
 protected:
  CommandLine() {
    world_.directory = home_.path();
    // Nothing of the user's is read or written.
    world_.environment["LOADLINE_DATA"] = (home_ / "made").string();
    world_.environment["LOADLINE_BASELINES"] = (home_ / "baselines").string();
  }

  Outcome run(const Words& words) const { return run_tool(words, world_); }

  // A ceiling fills up to 1 GiB for each trial, which is most of the cost of a short one, but at most an eighth of this
  // limit. A sanitizer maps more than any limit, and the tool then fills less anyway.
  void keep_ceilings_small() {
    const std::size_t stacks_mib = std::size_t{16} * std::thread::hardware_concurrency();
    if (!kSanitized) world_.limits[RLIMIT_DATA] = (512 + stacks_mib) << 20;
  }

  // Writes 64 images of 4 x 4 in 10 classes; returns their directory.
  std::string mnist(const std::string& directory = "mnist") const {
    std::string labels = idx_header({64});
    for (int i = 0; i < 64; ++i) labels += static_cast<char>(i % 10);
    write(home_ / directory / "train-images-idx3-ubyte", idx_images(64, 4, 4));
    write(home_ / directory / "train-labels-idx1-ubyte", labels);
    return (home_ / directory).string();
  }

  // A run that takes milliseconds and may replace an earlier result.
  static Words short_run(const std::string& data, const std::string& output = "result.json") {
    const Words named = output.empty() ? Words() : Words{"-o", output, "--overwrite"};
    return Words{"run", "--workload", "mnist", "--data", data, "--batch-size", "8"} + named + kShort;
  }
  // A run that lasts until a test ends it.
  static Words long_run(const std::string& data) { return short_run(data) + Words{"--trials", "100000"}; }

  nlohmann::json result(const std::string& name = "result.json") const {
    auto json = nlohmann::json::parse(bytes_of(home_ / name), nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << name << " is no JSON";
    EXPECT_EQ(json.value("schema_version", 0), 4);
    return json;
  }

  std::set<std::string> files() const { return names_in(home_.path()); }

  static inline const Words kShort{"--trials",   "1",   "--trial-batches", "3", "--first-epoch-seconds", "0",
                                   "--ceilings", "off", "--details"};

  TemporaryDirectory home_;
  World world_;
};

inline std::size_t trials_in(const nlohmann::json& result) {
  std::size_t count = 0;
  for (const auto& cell : result.at("cells")) count += cell.at("trials").size();
  return count;
}

// Whether the machine is too noisy, as a shared one can be, for trials of IO to mean anything: the fastest of a cell is
// more than three times the slowest.
inline bool loading_is_noise(const nlohmann::json& result) {
  for (const auto& cell : result.at("cells")) {
    if (cell.at("mode") != "IO") continue;
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const auto& trial : cell.at("trials")) {
      const double rate = trial.at("samples").get<double>() / trial.at("wall_seconds").get<double>();
      least = std::min(least, rate);
      most = std::max(most, rate);
    }
    if (most > 3 * least) return true;
  }
  return false;
}

}  // namespace loadline::test
