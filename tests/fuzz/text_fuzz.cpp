// Any text for the command line, a configuration or a noise floor: an Error refuses it, or it is accepted, and what is
// written from it reads back the same. Nothing else may happen. The first byte says what the text is for.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "harness/file/diff_json.h"
#include "harness/file/result_json.h"
#include "harness/judge/noise.h"
#include "harness/plan/command.h"
#include "harness/plan/conditions.h"
#include "harness/plan/options.h"
#include "harness/plan/placement.h"
#include "harness/plan/plan.h"
#include "harness/plan/ranges.h"
#include "loaders/error.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_options(const RunOptions& options) {
  const std::string written = config_json(options);
  RunOptions again;
  apply_config(written, "written", again);
  require(config_json(again) == written);
}

// Options that were accepted can still be refused together. If they make a plan, each of its cells has a command line.
void check_plan(RunOptions options) {
  // More cells take longer and show nothing new.
  options.max_cells = 100;
  try {
    const Plan plan = make_plan(options, {.threads_in_force = 2, .cpus = {0, 1}, .data_directory = "/data"});
    for (const Cell& cell : plan.cells) command_options(options, cell, kAnyData);
  } catch (const Error&) {
  }
}

void take_config(std::string_view text) {
  RunOptions options;
  apply_config(text, "fuzz", options);
  check_options(options);
  check_plan(options);
}

void take_conditions(std::string_view text) {
  Cell cell;
  hold(parse_conditions("--filter", text), cell, true);
}

void take_range(std::string_view text) {
  const auto values = expand_range("--workers", text);
  require(!values.empty() && values.size() <= kMostOfRange);
  for (std::size_t i = 1; i < values.size(); ++i) require(values[i - 1] < values[i]);
}

void take_placement(std::string_view text) {
  place_threads(text, std::nullopt,
                {.cpus = {0, 1, 2, 3}, .in_force = 4, .nodes = {{.number = 0, .cores = {{0, 2}, {1, 3}}}}});
}

void take_compute(std::string_view text) {
  parse_compute(text);
}

void take_noise(std::string_view text) {
  const std::string written = noise_json(parse_noise(text, "fuzz"));
  require(noise_json(parse_noise(written, "written")) == written);
}

// The first byte selects the option.
void take_option(std::string_view text) {
  if (text.empty()) return;
  const auto rows = run_options();
  RunOptions options;
  write_option(options, rows[static_cast<unsigned char>(text[0]) % rows.size()], text.substr(1));
  check_options(options);
  check_plan(options);
}

constexpr std::array kKinds{take_config,  take_conditions, take_range, take_placement,
                            take_compute, take_noise,      take_option};

}  // namespace
}  // namespace loadline

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// NOLINTNEXTLINE(readability-identifier-naming)
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadline;
  if (size == 0) return -1;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    kKinds[data[0] % kKinds.size()](text);
  } catch (const Error&) {
    return -1;
  }
  return 0;
}
