#include "loaders/system/environment.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <optional>
#include <string>

namespace loadline {
namespace {

// Sets an environment variable, or unsets it, and restores it in its destructor.
class SetVariable {
 public:
  SetVariable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    set(value);
  }
  SetVariable(const SetVariable&) = delete;
  SetVariable& operator=(const SetVariable&) = delete;
  ~SetVariable() { set(before_); }

 private:
  void set(const std::optional<std::string>& value) const {
    value ? ::setenv(name_, value->c_str(), 1) : ::unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> before_;
};

std::optional<std::string> value_when_set_to(const std::optional<std::string>& value) {
  const SetVariable set("LOADLINE_OF_A_TEST", value);
  return variable("LOADLINE_OF_A_TEST");
}

std::optional<std::string> cache_with(const std::optional<std::string>& cache, const std::optional<std::string>& home) {
  const SetVariable set_cache("XDG_CACHE_HOME", cache);
  const SetVariable set_home("HOME", home);
  const auto directory = cache_directory();
  return directory ? std::optional(directory->string()) : std::nullopt;
}

TEST(Environment, CountsAnEmptyVariableAsUnset) {
  EXPECT_EQ(value_when_set_to("some text"), "some text");
  EXPECT_EQ(value_when_set_to(""), std::nullopt);
  EXPECT_EQ(value_when_set_to(std::nullopt), std::nullopt);
}

TEST(Environment, NamesTheCacheDirectoryOrTheOneInTheHomeDirectory) {
  EXPECT_EQ(cache_with("/cache", "/home/me"), "/cache");
  EXPECT_EQ(cache_with(std::nullopt, "/home/me"), "/home/me/.cache");
  EXPECT_EQ(cache_with("", "/home/me"), "/home/me/.cache");
  EXPECT_EQ(cache_with(std::nullopt, std::nullopt), std::nullopt);
  EXPECT_EQ(cache_with("", ""), std::nullopt);
}

}  // namespace
}  // namespace loadline
