#include <filesystem>
#include <set>

#include "harness/file/result_json.h"
#include "tests/fuzz/replay.h"
#include "tests/harness/support/results.h"
#include "tests/loaders/support/files.h"
#include "tests/support/this_build.h"

namespace loadline::test {

std::vector<std::vector<std::uint8_t>> fuzz_seeds() {
  std::vector<std::vector<std::uint8_t>> seeds;
  const auto add = [&seeds](const std::string& text) { seeds.emplace_back(text.begin(), text.end()); };
  Result result = result_of({{Mode::kIo, {900, 1000, 1100}},
                             {Mode::kSynthetic, {2000, 2010, 1990}},
                             {Mode::kFull, {800, 810, 820}},
                             {Mode::kIo, {1900, 1800}, "thread-pool", 2},
                             overhead()});
  result.run_id = "20250102T030405Z-0000000000000001";
  result.started = "2025-01-02T03:04:05Z";
  result.cells[0].trials[0].stages = {{"host_waits", 3, 0.5}};
  result.cells[0].trials[1].fill = Fill{.wall_seconds = 1, .batches = 10, .samples = 1000};
  result.cells[1].error = "a step failed";
  add_ceiling(result, ceiling("gather", 4), {1e9, 1.1e9}, {0});
  add(result_json(result, judge_run(result)));
  std::set<std::filesystem::path> released;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(kRepository) / "tests/results/released")) {
    released.insert(entry.path());
  }
  for (const auto& path : released) add(bytes_of(path));
  return seeds;
}

}  // namespace loadline::test
