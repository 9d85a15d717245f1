#include "harness/measure/named_files.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "loaders/loader.h"
#include "tests/loaders/support/files.h"

namespace loadline {
namespace {

CellResult cell_with(std::string compute, std::optional<std::string> loader = std::nullopt) {
  CellResult result;
  result.cell.compute = std::move(compute);
  result.cell.loader = std::move(loader);
  return result;
}

TEST(NamedFiles, AreThoseOfLoadersAndComputesOnceEach) {
  const test::TemporaryDirectory home;
  const std::string recording = test::write(home / "job.json", "recorded");
  const std::string script = test::write(home / "ld.py", "def make");
  add_loader({.name = "named_files/ld.py:make", .summary = "", .origin = {.name = "", .version = "", .path = script}});
  const std::string replay = "replay:file=" + recording;
  Result result;
  result.cells = {cell_with(replay, "named_files/ld.py:make"), cell_with(replay), cell_with("drain", "serial")};
  note_named_files(result);
  ASSERT_EQ(result.named_files.size(), 2U);
  EXPECT_EQ(result.named_files[0].named_by, "named_files/ld.py:make");
  EXPECT_EQ(result.named_files[0].path, script);
  EXPECT_EQ(result.named_files[0].hash, 0xbeee89c199527671U);
  EXPECT_EQ(result.named_files[1].named_by, replay);
  EXPECT_EQ(result.named_files[1].path, recording);
  EXPECT_EQ(result.named_files[1].hash, 0x3be29a7319abeffdU);
}

TEST(NamedFiles, LeaveOutAFileThatCannotBeRead) {
  Result result;
  result.cells = {cell_with("replay:file=/nowhere/job.json")};
  note_named_files(result);
  EXPECT_TRUE(result.named_files.empty());
}

}  // namespace
}  // namespace loadline
