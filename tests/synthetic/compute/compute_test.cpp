#include "synthetic/compute/compute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loaders/error.h"
#include "loaders/names.h"
#include "synthetic/compute/device.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

// The sentence that refuses `text`; empty if it is accepted.
std::string refusal(std::string_view text) {
  try {
    parse_compute(text);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kUsage) << text;
    return error.what();
  }
}

// The computes in this build, which depend on the libraries that CMake found.
std::string known() {
  return list_of(names_of(computes()));
}

TEST(Computes, HaveUniqueNamesAndASummary) {
  std::set<std::string_view> names;
  for (const ComputeKind& kind : computes()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.summary.empty()) << kind.name;
    for (const ComputeParameter& parameter : kind.parameters) {
      EXPECT_FALSE(parameter.help.empty()) << parameter.name;
      EXPECT_TRUE(parameter.required || parameter.standard >= parameter.least) << parameter.name;
      EXPECT_TRUE(parameter.required || parameter.standard <= parameter.most) << parameter.name;
      EXPECT_TRUE(parameter.words.empty() || parameter.standard < static_cast<double>(parameter.words.size()))
          << parameter.name;
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

TEST(ParseCompute, LeavesAFunctionOfAScriptToItsOpener) {
  EXPECT_TRUE(may_name_external_compute("train.py:make_step"));
  EXPECT_TRUE(may_name_external_compute("package.module:make_step"));
  EXPECT_FALSE(may_name_external_compute("drain"));
  EXPECT_FALSE(may_name_external_compute("drain:make_step"));
  EXPECT_FALSE(may_name_external_compute("train.py:"));
  EXPECT_FALSE(may_name_external_compute("train.py:rate=4"));

  const ComputeSpec elsewhere = parse_compute("train.py:make_step");
  EXPECT_TRUE(elsewhere.kind->external);
  SteadyClock clock;
  EXPECT_THROW(elsewhere.make({.clock = clock, .stop = {}}), Error);

  static const ComputeKind kMine{.name = "mine", .summary = "", .parameters = {}, .make = nullptr, .external = true};
  set_compute_opener(
      [](std::string_view text) { return ComputeSpec{.kind = &kMine, .values = {static_cast<double>(text.size())}}; });
  const ComputeSpec opened = parse_compute("train.py:make_step");
  set_compute_opener({});
  EXPECT_EQ(opened.kind, &kMine);
  EXPECT_EQ(opened.values, std::vector<double>{18});
}

TEST(ParseCompute, FillsInDefaultValues) {
  const ComputeSpec spec = parse_compute("device:samples_per_second=1786");
  EXPECT_EQ(spec.kind->name, "device");
  EXPECT_EQ(spec.values, (std::vector<double>{1786, 0, 0, 0, 0, 2, 1, 0, 0, 0, 1, 0, 0, 0}));
}

TEST(ParseCompute, TakesParametersInAnyOrder) {
  const ComputeSpec spec = parse_compute("device:depth=0,copy_bytes_per_second=2.5e10,samples_per_second=0.001");
  EXPECT_EQ(spec.values, (std::vector<double>{0.001, 0, 2.5e10, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}));
}

TEST(ParseCompute, TakesEveryParameterOfTheDevice) {
  const ComputeSpec spec = parse_compute(
      "device:profile=mlperf-resnet50-h100,copy_bytes_per_second=2,copy_latency_seconds=3,overlap=off,depth=4,"
      "devices=5,gradient_bytes=6,reduce_bytes_per_second=7,reduce_latency_seconds=8,ranks=9,busy=memory");
  const DeviceModel model = device_model(spec.values);
  EXPECT_DOUBLE_EQ(model.samples_per_second, 400 / 0.224);
  EXPECT_EQ(model.copy_bytes_per_second, 2);
  EXPECT_EQ(model.copy_latency_seconds, 3);
  EXPECT_FALSE(model.overlap);
  EXPECT_EQ(model.depth, 4U);
  EXPECT_EQ(model.devices, 5U);
  EXPECT_EQ(model.gradient_bytes, 6);
  EXPECT_EQ(model.reduce_bytes_per_second, 7);
  EXPECT_EQ(model.reduce_latency_seconds, 8);
  EXPECT_EQ(model.ranks, 9U);
  EXPECT_EQ(model.busy, Busy::kMemory);
}

TEST(ParseCompute, TakesDefaultWords) {
  const DeviceModel model = device_model(parse_compute("device:samples_per_second=7,profile=none").values);
  EXPECT_EQ(model.samples_per_second, 7);
  EXPECT_TRUE(model.overlap);
  EXPECT_EQ(model.busy, Busy::kNone);
}

TEST(ParseCompute, PredictsTheRateOfADevice) {
  EXPECT_EQ(parse_compute("drain").samples_per_second(64, 6400), std::nullopt);
  EXPECT_DOUBLE_EQ(parse_compute("device:samples_per_second=7,devices=3").samples_per_second(64, 6400).value(), 21);
  EXPECT_DOUBLE_EQ(parse_compute("device:profile=sc22-unet-v100").samples_per_second(64, 6400).value(), 102.855);
}

TEST(ParseCompute, KnowsWhetherStepsContinueAfterACall) {
  EXPECT_TRUE(parse_compute("device:samples_per_second=1000").launches_ahead());
  EXPECT_FALSE(parse_compute("device:samples_per_second=1000,depth=0").launches_ahead());
  EXPECT_FALSE(parse_compute("device:samples_per_second=1000,mode=dp").launches_ahead());
  EXPECT_FALSE(parse_compute("drain").launches_ahead());
  EXPECT_TRUE(parse_compute("train.py:make_step").launches_ahead()) << "nothing else is known";
  EXPECT_TRUE(parse_compute("step").launches_ahead()) << "nothing else is known";
}

TEST(ParseCompute, KnowsHowMuchMemoryABusyHostUses) {
  EXPECT_EQ(parse_compute("device:samples_per_second=1").memory_bytes({}), 0U);
  EXPECT_EQ(parse_compute("device:samples_per_second=1,busy=cpu").memory_bytes({}), 0U);
  EXPECT_EQ(parse_compute("device:samples_per_second=1,busy=memory").memory_bytes({}), 67'108'864U);
}

TEST(ParseCompute, MakesWhatItNames) {
  test::FakeClock clock;
  const ComputeSpec spec = parse_compute("device:samples_per_second=1,copy_bytes_per_second=1,depth=7");
  EXPECT_EQ(spec.held_batches(), 7U);
  EXPECT_EQ(spec.make({.clock = clock, .stop = {}})->batches_to_steady_state(), 8U);
}

TEST(ParseCompute, RefusesWithASentenceThatNamesThePart) {
  EXPECT_EQ(refusal("drian"), "compute 'drian': want one of " + known() + " (did you mean drain?)");
  EXPECT_EQ(refusal(""), "compute '': want one of " + known());
  EXPECT_EQ(refusal("drain:depth=1"), "compute drain: it has no parameters");
  EXPECT_EQ(refusal("device"),
            "compute device: it needs samples_per_second, such as device:samples_per_second=1000, or profile");
  EXPECT_EQ(refusal("device:depth=1"),
            "compute device: it needs samples_per_second, such as device:samples_per_second=1000, or profile");
  EXPECT_EQ(refusal("device:profile=none"),
            "compute device: it needs samples_per_second, such as device:samples_per_second=1000, or profile");
  EXPECT_EQ(refusal("device:profile=sc22-unet-a100,samples_per_second=1"),
            "compute device: it takes samples_per_second or profile, not both");
  EXPECT_EQ(refusal("device:profile=mlperf-resnet50-h200"),
            "compute device: profile 'mlperf-resnet50-h200': want one of none, mlperf-resnet50-a100, "
            "mlperf-resnet50-h100, mlperf-unet3d-a100, mlperf-unet3d-h100, mlperf-cosmoflow-a100, "
            "mlperf-cosmoflow-h100, sc22-unet-a100, sc22-unet-a100-fp16, sc22-unet-v100, sc22-unet-v100-fp16 (did you "
            "mean mlperf-resnet50-h100?)");
  EXPECT_EQ(refusal("device:samples_per_second=1,overlap=0"), "compute device: overlap '0': want one of on, off");
  EXPECT_EQ(refusal("device:samples_per_second=1,busy=cpus"),
            "compute device: busy 'cpus': want one of none, cpu, memory (did you mean cpu?)");
  EXPECT_EQ(refusal("device:1786"), "compute device: '1786': want parameter=value");
  EXPECT_EQ(refusal("device:samples_per_second=1,,depth=1"), "compute device: '': want parameter=value");
  EXPECT_EQ(refusal("device:samples_per_secnd=5"),
            "compute device: parameter 'samples_per_secnd': want one of samples_per_second, profile, "
            "copy_bytes_per_second, copy_latency_seconds, overlap, depth, devices, gradient_bytes, "
            "reduce_bytes_per_second, reduce_latency_seconds, ranks, bucket_bytes, mode, busy (did you mean "
            "samples_per_second?)");
}

TEST(ParseCompute, RefusesValuesThatAreNotNumbersInRange) {
  for (const std::string value : {"", "0", "-1", "nan", "inf", "1k", " 1", "0x10"}) {
    EXPECT_EQ(refusal("device:samples_per_second=" + value),
              "compute device: samples_per_second=" + value + ": want a number of at least 0.001");
  }
  EXPECT_EQ(refusal("device:samples_per_second=1e400"),
            "compute device: samples_per_second=1e400: want a number from 0.001 to 1.7976931348623157e+308");
  for (const std::string value : {"-1", "1.5", "two", "4097", "1e18", "1e300"}) {
    EXPECT_EQ(refusal("device:samples_per_second=1,depth=" + value),
              "compute device: depth=" + value + ": want a whole number from 0 to 4096");
  }
  for (const std::string name : {"copy_bytes_per_second", "copy_latency_seconds", "gradient_bytes",
                                 "reduce_bytes_per_second", "reduce_latency_seconds"}) {
    for (const std::string value : {"-1", "inf"}) {
      EXPECT_EQ(refusal("device:samples_per_second=1," + name + "=" + value),
                "compute device: " + name + "=" + value + ": want a number of at least 0");
    }
  }
  for (const std::string value : {"0", "1.5", "65"}) {
    EXPECT_EQ(refusal("device:samples_per_second=1,devices=" + value),
              "compute device: devices=" + value + ": want a whole number from 1 to 64");
  }
  for (const std::string value : {"0", "1.5", "1000001"}) {
    EXPECT_EQ(refusal("device:samples_per_second=1,ranks=" + value),
              "compute device: ranks=" + value + ": want a whole number from 1 to 1000000");
  }
}

}  // namespace
}  // namespace loadline
