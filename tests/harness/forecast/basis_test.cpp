#include "harness/forecast/basis.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "loaders/datasets/script.h"
#include "loaders/error.h"
#include "tests/harness/support/loader_stages.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

// thread-pool with two workers loads 400 samples/s; the device takes 1000.
Result measured() {
  Result result = test::result_of({
      {.mode = Mode::kIo, .rates = {396, 400, 404}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kSynthetic, .rates = {990, 1000, 1010}},
      {.mode = Mode::kFull, .rates = {360, 360, 360}, .loader = "thread-pool", .workers = 2},
  });
  for (Trial& trial : result.cells[2].trials) {
    trial.usage.user_cpu_seconds = static_cast<double>(trial.samples) * 2e-3;
  }
  return result;
}

Basis basis_in(const Result& result, std::string_view cell = "") {
  return basis_of(result, judge_run(result), cell, "a.json");
}

std::string refusal_of(const Result& result, std::string_view cell = "") {
  try {
    basis_in(result, cell);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Basis, HasTheFiguresOfOneConfiguration) {
  const Basis basis = basis_in(measured());
  EXPECT_EQ(basis.name, "mnist/FULL/thread-pool/workers:2/batch:100");
  EXPECT_EQ(basis.batch_size, 100U);
  EXPECT_EQ(basis.workers, 2U);
  EXPECT_EQ(basis.in_flight, 2U);
  EXPECT_NEAR(basis.load_per_second.value, 400, 1e-9);
  EXPECT_NEAR(basis.step_per_second.value, 1000, 1e-9);
  EXPECT_NEAR(basis.coupling(), 0.9, 1e-9);
  EXPECT_NEAR(basis.step_variation, 0.01, 1e-4);
  EXPECT_EQ(basis.steps_of_trial, 100);
  EXPECT_NEAR(basis.cpu_seconds_per_sample, 2e-3, 1e-9);
  EXPECT_EQ(basis.bytes_per_sample, 28 * 28);
  EXPECT_EQ(basis.dataset_samples, 60000);
  EXPECT_EQ(basis.gradient_bytes, 0);
  EXPECT_FALSE(basis.from_storage);
}

// serial loads 1500 samples/s for a device that takes 200.
Basis serial_basis(double full) {
  return basis_in(test::result_of({{.mode = Mode::kIo, .rates = {1500, 1500, 1500}, .loader = "serial"},
                                   {.mode = Mode::kSynthetic, .rates = {200, 200, 200}},
                                   {.mode = Mode::kFull, .rates = {full, full, full}, .loader = "serial"}}));
}

TEST(Basis, OverlapsLoadingWithoutWorkersAsFarAsFullShows) {
  const Basis beside = serial_basis(200);
  EXPECT_NEAR(beside.overlap, 1, 1e-9);
  EXPECT_NEAR(beside.coupling() * beside.side_by_side(1500, 200), 200, 1e-9);
  const Basis in_turn = serial_basis(1 / (1.0 / 1500 + 1.0 / 200));
  EXPECT_NEAR(in_turn.overlap, 0, 1e-9);
  EXPECT_NEAR(in_turn.coupling(), 1, 1e-9);
  EXPECT_NEAR(in_turn.side_by_side(200, 200), 100, 1e-9);
}

// FULL ran at 439 samples/s, while the loader alone filled at these rates.
Basis basis_filling_at(const std::vector<double>& rates) {
  Result result =
      test::result_of({{.mode = Mode::kIo, .rates = rates, .loader = "thread-pool", .workers = 2},
                       {.mode = Mode::kSynthetic, .rates = {999, 1000, 1001}},
                       {.mode = Mode::kFull, .rates = {438, 439, 440}, .loader = "thread-pool", .workers = 2}});
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const auto samples = static_cast<std::uint64_t>(rates[i]);
    result.cells[0].trials[i].fill = Fill{.wall_seconds = 1, .batches = 3, .samples = samples};
  }
  return basis_in(result);
}

// Another process disturbed IO.
TEST(Basis, TakesTheRateOfFullWhereLoadingAloneWasSlower) {
  const Basis basis = basis_filling_at({310, 311, 312});
  EXPECT_NEAR(basis.load_per_second.value, 439, 1e-2);
  EXPECT_NEAR(basis.slower_load_per_second->value, 311, 1e-2);
  EXPECT_FALSE(basis.slower_step_per_second);
  EXPECT_NEAR(basis.coupling(), 1, 1e-9);
}

TEST(Basis, BlamesNothingWhereFullIsFasterWithinNoise) {
  const Basis basis = basis_filling_at({300, 400, 500});
  EXPECT_NEAR(basis.load_per_second.value, 439, 1e-2);
  EXPECT_NEAR(basis.load_per_second.ci95->low, 436.5, 0.1) << "that of FULL";
  EXPECT_GT(basis.load_per_second.ci95->high, 600) << "its own";
  EXPECT_FALSE(basis.slower_load_per_second);
}

TEST(Basis, IsOfOneOfTheRanksThatWereMeasured) {
  const Basis of_all = basis_in(measured());
  Result result = measured();
  for (CellResult& cell : result.cells) {
    for (Trial& trial : cell.trials) trial.ranks = TrialRanks{.each = std::vector<RankShare>(4)};
  }
  const Basis basis = basis_in(result);
  EXPECT_NEAR(basis.load_per_second.value, 100, 1e-9);
  EXPECT_NEAR(basis.step_per_second.value, 250, 1e-9);
  EXPECT_NEAR(basis.step_per_second.ci95->low, of_all.step_per_second.ci95->low / 4, 1e-9);
  EXPECT_NEAR(basis.together_per_second->value, 90, 1e-9);
  EXPECT_NEAR(basis.coupling(), 0.9, 1e-9);
  EXPECT_EQ(basis.steps_of_trial, 25);
  EXPECT_NEAR(basis.step_variation, of_all.step_variation, 1e-9);
}

TEST(Basis, TakesGradientsFromTheCompute) {
  Result result = measured();
  for (std::size_t i : {1U, 2U}) {
    result.cells[i].cell.compute = "device:samples_per_second=1000,gradient_bytes=1e6";
  }
  EXPECT_EQ(basis_in(result).gradient_bytes, 1e6);
}

TEST(Basis, TakesNetworkFilesAsReadFromStorage) {
  Result result = measured();
  result.datasets[0].storage.network = true;
  EXPECT_TRUE(basis_in(result).from_storage);
}

TEST(Basis, LeavesOutTheCpuTimeOfWorkersThatWaitForTheStep) {
  Result result = test::result_of({
      {.mode = Mode::kIo, .rates = {4000, 4000, 4000}, .loader = "flow-graph", .workers = 2},
      {.mode = Mode::kSynthetic, .rates = {100, 100, 100}},
      {.mode = Mode::kFull, .rates = {100, 100, 100}, .loader = "flow-graph", .workers = 2},
  });
  const auto set_cpu = [&](std::size_t cell, double seconds) {
    for (Trial& trial : result.cells[cell].trials) {
      trial.usage.user_cpu_seconds = static_cast<double>(trial.samples) * seconds;
    }
  };
  set_cpu(0, 1e-4);
  set_cpu(1, 2e-5);
  set_cpu(2, 3e-3);
  EXPECT_NEAR(basis_in(result).cpu_seconds_per_sample, 1.2e-4, 1e-9);
  set_cpu(2, 1.1e-4);
  EXPECT_NEAR(basis_in(result).cpu_seconds_per_sample, 1.1e-4, 1e-9);
}

TEST(Basis, CountsTheRequestsThatEachWayOfReadingKeepsInFlight) {
  Result result = measured();
  EXPECT_EQ(basis_in(result).reading, Reading::kOneByOne) << "no files of their own";
  result.datasets.front().info.access = Access::kFiles;
  EXPECT_EQ(basis_in(result).reading, Reading::kOneByOne) << "files of text";
  EXPECT_EQ(basis_in(result).in_flight, 2U);
  result.datasets.front().info.encoded = true;
  EXPECT_EQ(basis_in(result).reading, Reading::kBatchwise);
  EXPECT_EQ(basis_in(result).in_flight, 64U) << "32 a worker";
  for (CellResult& cell : result.cells) cell.cell.dataset.read = FileRead::kUring;
  EXPECT_EQ(basis_in(result).reading, Reading::kBatchwise);
  for (CellResult& cell : result.cells) cell.cell.dataset.ahead.requests = 16;
  EXPECT_EQ(basis_in(result).in_flight, 32U) << "16 a worker";
  for (CellResult& cell : result.cells) cell.cell.loader = "flow-graph";
  EXPECT_EQ(basis_in(result).reading, Reading::kAhead);
  EXPECT_EQ(basis_in(result).in_flight, 16U) << "of all workers together";
}

TEST(Basis, SeparatesReadingFromTheRestOfAWorkersTime) {
  Result result = measured();
  for (Trial& trial : result.cells[0].trials) {
    test::spend(trial, 2, {{WorkerStage::kOpen, 0.3}, {WorkerStage::kRead, 0.2}, {WorkerStage::kDecode, 0.5}});
  }
  // Each of two workers takes 5 ms per sample.
  EXPECT_NEAR(basis_in(result).worker_seconds_per_sample(), 5e-3, 1e-6);
  EXPECT_NEAR(basis_in(result).read_seconds_per_sample, 1e-3, 1e-6) << "opening is none of it";
}

TEST(Basis, DoesNotKnowTheBytesThatFunctionsInPythonRead) {
  Result result = measured();
  for (DatasetFacts& facts : result.datasets) facts.info.format = kScriptFormat;
  const Basis basis = basis_in(result);
  EXPECT_EQ(basis.bytes_per_sample, 0);
  EXPECT_TRUE(basis.reads_unseen);
}

TEST(Basis, NamesWhatIsMissing) {
  Result result = measured();
  result.cells.erase(result.cells.begin() + 1);
  EXPECT_EQ(refusal_of(result),
            "forecast: a.json has no trials of SYNTHETIC, which say what the step takes: run with --mode "
            "io,synthetic,full");
  EXPECT_EQ(refusal_of(test::result_of({{.mode = Mode::kSynthetic, .rates = {1000}}})),
            "forecast: a.json has no trials of IO or FULL, which say what loading takes");
  EXPECT_EQ(refusal_of(measured(), "flow-graph"),
            "--cell 'flow-graph': want the name of a loader's cell of a.json or a part of it, such as "
            "mnist/FULL/thread-pool/workers:2/batch:100");
  EXPECT_EQ(refusal_of(measured(), "thread-poll"),
            "--cell 'thread-poll': want the name of a loader's cell of a.json or a part of it, such as "
            "mnist/FULL/thread-pool/workers:2/batch:100 (did you mean thread-pool?)");
}

TEST(Basis, SaysHowItsCellWasChosenAmongSeveral) {
  Result result = measured();
  EXPECT_EQ(basis_in(result).choice, "");
  result.cells.push_back(
      test::cell_result({.mode = Mode::kFull, .rates = {99, 100, 101}, .loader = "flow-graph", .workers = 1}));
  EXPECT_EQ(basis_in(result).name, "mnist/FULL/thread-pool/workers:2/batch:100");
  EXPECT_EQ(basis_in(result).choice, "recommended among 2 configurations");
  EXPECT_EQ(basis_in(result, "thread-pool").choice, "");
}

TEST(Basis, RefusesToChooseAmongSeveralConfigurations) {
  Result result = measured();
  result.cells.push_back(
      test::cell_result({.mode = Mode::kFull, .rates = {500}, .loader = "serial", .workload = "cifar"}));
  EXPECT_EQ(refusal_of(result),
            "forecast: a.json has 2 configurations; choose one with --cell, such as --cell "
            "mnist/FULL/thread-pool/workers:2/batch:100");
  EXPECT_EQ(basis_in(result, "thread-pool").workers, 2U);
}

TEST(Basis, PrefersTheExactNameOfACellToPartialMatches) {
  const Result result = test::result_of({
      {.mode = Mode::kSynthetic, .rates = {990, 1000, 1010}, .batch_size = 2},
      {.mode = Mode::kSynthetic, .rates = {990, 1000, 1010}, .batch_size = 20},
      {.mode = Mode::kFull, .rates = {300}, .loader = "serial", .batch_size = 2},
      {.mode = Mode::kFull, .rates = {400}, .loader = "serial", .batch_size = 20},
  });
  EXPECT_EQ(basis_in(result, "mnist/FULL/serial/batch:2").batch_size, 2U);
  EXPECT_EQ(basis_in(result, "batch:20").batch_size, 20U);
  EXPECT_EQ(
      refusal_of(result, "batch:2"),
      "forecast: a.json has 2 configurations with 'batch:2' in their names; choose one with --cell, such as --cell "
      "mnist/FULL/serial/batch:2");
}

}  // namespace
}  // namespace loadline
