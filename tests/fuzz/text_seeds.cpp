#include <string>
#include <string_view>

#include "harness/file/diff_json.h"
#include "harness/file/result_json.h"
#include "harness/plan/options.h"
#include "tests/fuzz/replay.h"
#include "tests/harness/support/noise.h"

namespace loadline::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

enum Kind : std::uint8_t { kConfig, kConditions, kRange, kPlacement, kCompute, kNoise, kOption };

Bytes text_of(Kind kind, std::string_view text) {
  std::string bytes(1, static_cast<char>(kind));
  bytes += text;
  return {bytes.begin(), bytes.end()};
}

// The input for an option with this value on the command line.
Bytes option(std::string_view name, std::string_view value) {
  const auto rows = run_options();
  std::size_t index = 0;
  while (rows[index].name != name) ++index;
  return text_of(kOption, std::string(1, static_cast<char>(index)).append(value));
}

}  // namespace

std::vector<Bytes> fuzz_seeds() {
  return {text_of(kConfig, config_json(RunOptions())),
          text_of(kConfig, R"({"workers": [1, 2, 4], "trials": 3, "until_ci": 0.05, "mean": [0.5, 1e-3]})"),
          text_of(kConditions, "loader=serial workers>1"),
          text_of(kConditions, "mode!=io batch_size<=512 dtype=f32 workers>=2"),
          text_of(kRange, "7"),
          text_of(kRange, "1:4"),
          text_of(kRange, "8:32:+8"),
          text_of(kRange, "1:64:*2"),
          text_of(kPlacement, "shared"),
          text_of(kPlacement, "split"),
          text_of(kPlacement, "numa:replicate"),
          text_of(kPlacement, "pin:0-1,3"),
          text_of(kCompute, "device:samples_per_second=150000,depth=3"),
          text_of(kCompute, "drain"),
          text_of(kNoise, noise_json(noise_of({part_with(0.02, Mode::kIo), part_with(0.05, Mode::kFull)}))),
          option("workers", "1:64:*2,96"),
          option("loader", "all"),
          option("dtype", "f32,u8"),
          option("trial-seconds", "0.25"),
          option("until-ci", "5%"),
          option("exclude", "loader=serial workers>1"),
          option("part", "1/4"),
          option("in-memory", "on,off"),
          option("mean", "0.1,0.2,0.3"),
          option("seed", "9007199254740992")};
}

}  // namespace loadline::test
