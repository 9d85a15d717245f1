#include "harness/plan/workloads.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <optional>
#include <string>

#include "harness/plan/script_workload.h"
#include "loaders/error.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

// Sets or unsets environment variables, and restores them in its destructor.
class SetVariables {
 public:
  explicit SetVariables(const std::map<std::string, std::string>& wanted) {
    for (const char* name : {"LOADLINE_DATA", "XDG_CACHE_HOME", "HOME"}) {
      const char* value = ::getenv(name);
      before_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
      const auto found = wanted.find(name);
      set(name, found == wanted.end() ? std::nullopt : std::optional(found->second));
    }
  }
  SetVariables(const SetVariables&) = delete;
  SetVariables& operator=(const SetVariables&) = delete;
  ~SetVariables() {
    for (const auto& [name, value] : before_) set(name, value);
  }

 private:
  static void set(const std::string& name, const std::optional<std::string>& value) {
    value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
  }

  std::map<std::string, std::optional<std::string>> before_;
};

std::string directory_with(const std::map<std::string, std::string>& variables) {
  const SetVariables environment(variables);
  return data_directory().string();
}

TEST(Workloads, LieInTheDirectoryThatTheUserNames) {
  EXPECT_EQ(directory_with({{"LOADLINE_DATA", "/data"}, {"XDG_CACHE_HOME", "/cache"}, {"HOME", "/home/me"}}), "/data");
  EXPECT_EQ(directory_with({{"XDG_CACHE_HOME", "/cache"}, {"HOME", "/home/me"}}), "/cache/loadline");
  EXPECT_EQ(directory_with({{"HOME", "/home/me"}}), "/home/me/.cache/loadline");
  EXPECT_EQ(directory_with({}), "loadline-data");
}

TEST(Workloads, TreatAnEmptyVariableAsUnset) {
  EXPECT_EQ(directory_with({{"LOADLINE_DATA", ""}, {"HOME", "/home/me"}}), "/home/me/.cache/loadline");
}

TEST(Workloads, LieBelowTheDataDirectoryUnlessTheyAreInstalled) {
  std::map<std::string_view, std::string> places;
  for (const Workload& workload : workloads()) places[workload.name] = default_path(workload, "/data").string();
  EXPECT_EQ(places, (std::map<std::string_view, std::string>{{"fashion-mnist", "/usr/share/datasets/fashion-mnist"},
                                                             {"mnist", "/data/mnist"},
                                                             {"cifar10", "/data/cifar10"},
                                                             {"cifar100", "/data/cifar100"},
                                                             {"photos", "/data/photos"},
                                                             {"nbody", "/data/nbody.h5"},
                                                             {"tokens", "/data/tokens"},
                                                             {"text", "/data/text"}}));
}

TEST(Workloads, AreCompleteAndHaveAComputeThatExists) {
  for (const Workload& workload : workloads()) {
    EXPECT_FALSE(workload.summary.empty()) << workload.name;
    EXPECT_FALSE(workload.how_to_get_it.empty()) << workload.name;
    EXPECT_GT(workload.classes, 0U) << workload.name;
    EXPECT_GT(workload.batch_size, 0U) << workload.name;
    EXPECT_EQ(workload.mean.size(), workload.stddev.size()) << workload.name;
    EXPECT_EQ(parse_compute(workload.compute).kind->name, "device") << workload.name;
  }
}

TEST(Workloads, AreFoundByNameIncludingThatOfScripts) {
  EXPECT_EQ(workload_named("cifar10").classes, 10U);
  EXPECT_EQ(workload_named(kScriptWorkload).compute, "drain");
  EXPECT_THROW(workload_named("cifar11"), Error);
}

}  // namespace
}  // namespace loadline
