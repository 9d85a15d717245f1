#include "synthetic/compute/compute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "loaders/error.h"
#include "loaders/names.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

// The sentence with which `text` is refused; empty when it is taken.
std::string refusal(std::string_view text) {
  try {
    parse_compute(text);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kUsage) << text;
    return error.what();
  }
}

TEST(Computes, HaveNamesOfTheirOwnAndAUsefulSummary) {
  std::set<std::string_view> names;
  for (const ComputeKind& kind : computes()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.summary.empty()) << kind.name;
    for (const ComputeParameter& parameter : kind.parameters) {
      EXPECT_FALSE(parameter.help.empty()) << parameter.name;
      EXPECT_TRUE(parameter.required || parameter.standard >= parameter.least) << parameter.name;
      EXPECT_TRUE(parameter.required || parameter.standard <= parameter.most) << parameter.name;
    }
  }
}

TEST(Computes, SayWhyOneWasLeftOut) {
  std::vector<std::string_view> names = names_of(computes());
  for (const LeftOut& row : computes_left_out()) {
    const std::string sentence = "compute " + std::string(row.name) + ": " + std::string(row.reason);
    EXPECT_EQ(refusal(row.name), sentence);
    EXPECT_EQ(refusal(std::string(row.name) + ":depth=1"), sentence);
    names.push_back(row.name);
  }
  EXPECT_EQ(std::ranges::count(names, "cuda"), 1) << "it is there or left out";
}

TEST(ParseCompute, TakesANameAlone) {
  const ComputeSpec spec = parse_compute("drain");
  EXPECT_EQ(spec.kind->name, "drain");
  EXPECT_TRUE(spec.values.empty());
}

TEST(ParseCompute, FillsInStandardValues) {
  const ComputeSpec spec = parse_compute("device:samples_per_second=1786");
  EXPECT_EQ(spec.kind->name, "device");
  EXPECT_EQ(spec.values, (std::vector<double>{1786, 0, 2}));
}

TEST(ParseCompute, TakesParametersInAnyOrder) {
  const ComputeSpec spec = parse_compute("device:depth=0,copy_bytes_per_second=2.5e10,samples_per_second=0.001");
  EXPECT_EQ(spec.values, (std::vector<double>{0.001, 2.5e10, 0}));
}

TEST(ParseCompute, MakesWhatItNames) {
  test::FakeClock clock;
  const ComputeSpec spec = parse_compute("device:samples_per_second=1,copy_bytes_per_second=1,depth=7");
  EXPECT_EQ(spec.held_batches(), 7U);
  EXPECT_EQ(spec.make({.clock = clock, .stop = {}})->batches_to_steady_state(), 8U);
}

TEST(ParseCompute, RefusesWithASentenceThatNamesThePart) {
  const std::string names = list_of(names_of(computes()));  // there are others where their libraries are
  EXPECT_EQ(refusal("drian"), "compute 'drian': want one of " + names + " (did you mean drain?)");
  EXPECT_EQ(refusal(""), "compute '': want one of " + names);
  EXPECT_EQ(refusal("drain:depth=1"), "compute drain: it has no parameters");
  EXPECT_EQ(refusal("device"), "compute device: it needs samples_per_second, such as device:samples_per_second=1000");
  EXPECT_EQ(refusal("device:depth=1"),
            "compute device: it needs samples_per_second, such as device:samples_per_second=1000");
  EXPECT_EQ(refusal("device:1786"), "compute device: '1786': want parameter=value");
  EXPECT_EQ(refusal("device:samples_per_second=1,,depth=1"), "compute device: '': want parameter=value");
  EXPECT_EQ(refusal("device:samples_per_secnd=5"),
            "compute device: parameter 'samples_per_secnd': want one of samples_per_second, copy_bytes_per_second, "
            "depth (did you mean samples_per_second?)");
}

TEST(ParseCompute, RefusesValuesThatAreNoNumberInRange) {
  for (const std::string value : {"", "0", "-1", "nan", "inf", "1e999", "1k", " 1", "0x10"}) {
    EXPECT_EQ(refusal("device:samples_per_second=" + value),
              "compute device: samples_per_second=" + value + ": want a number of at least 0.001");
  }
  for (const std::string value : {"-1", "1.5", "two", "4097", "1e18", "1e300"}) {
    EXPECT_EQ(refusal("device:samples_per_second=1,depth=" + value),
              "compute device: depth=" + value + ": want a whole number from 0 to 4096");
  }
  for (const std::string value : {"-1", "inf"}) {
    EXPECT_EQ(refusal("device:samples_per_second=1,copy_bytes_per_second=" + value),
              "compute device: copy_bytes_per_second=" + value + ": want a number of at least 0");
  }
}

}  // namespace
}  // namespace loadline
