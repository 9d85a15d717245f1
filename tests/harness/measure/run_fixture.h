// A run over a small dataset, for tests of its preparation and its measurement.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/measure/prepare.h"
#include "harness/measure/run.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline::test {

namespace fs = std::filesystem;

// Records what a run reports, and calls hooks after first epochs, trials and ceilings.
class Listener final : public RunObserver {
 public:
  void on_dataset(const DatasetFacts& /*facts*/) override { ++datasets; }
  void on_first_epoch(const Result& /*result*/, const CellResult& cell) override {
    first_epochs.push_back(cell.cell.name());
    if (after_first_epoch) after_first_epoch();
  }
  void on_trial(const Result& /*result*/, const CellResult& cell) override {
    (cell.error ? failures : trials).push_back(cell.cell.name());
    if (after_trial) after_trial(trials.size());
  }
  void on_ceiling(const Result& /*result*/, const CeilingResult& ceiling) override {
    (ceiling.error ? failures : ceilings).push_back(ceiling.ceiling.id());
    if (after_ceiling) after_ceiling(ceilings.size());
  }

  int datasets = 0;
  std::vector<std::string> first_epochs;
  std::vector<std::string> trials;
  std::vector<std::string> ceilings;
  std::vector<std::string> failures;
  std::function<void()> after_first_epoch;
  std::function<void(std::size_t)> after_trial;
  std::function<void(std::size_t)> after_ceiling;
};

// A few images like MNIST, and a run over them.
class RunTest : public testing::Test {
 protected:
  // Writes images in 10 classes, by default 40 images of 4 x 4.
  fs::path mnist(std::uint32_t samples = 40, std::uint32_t side = 4) const {
    std::string labels = idx_header({samples});
    for (std::uint32_t i = 0; i < samples; ++i) labels += static_cast<char>(i % 10);
    write(home_ / "mnist" / "train-images-idx3-ubyte", idx_images(samples, side, side));
    write(home_ / "mnist" / "train-labels-idx1-ubyte", labels);
    return home_ / "mnist";
  }

  RunOptions options() const {
    return {.workloads = {"mnist"},
            .workers = {2},
            .batch_sizes = {8},
            .data = (home_ / "mnist").string(),
            .compute = "device:samples_per_second=1e6",
            .trials = 3,
            .trial_batches = 4,
            .first_epoch_seconds = 0,
            .ceilings = "off"};
  }

  // Options with ceilings and with trials that take a few milliseconds each.
  RunOptions with_ceilings() const {
    RunOptions with = options();
    with.ceilings = "on";
    with.trial_seconds = 0.003;
    with.trial_batches.reset();
    return with;
  }

  Plan plan_of(const RunOptions& options) const {
    return make_plan(options, {.threads_in_force = 2, .data_directory = home_.path()});
  }

  bool run(const Plan& plan) { return run(plan, clock_); }
  bool run(const Plan& plan, Clock& clock) {
    RunContext context{.clock = clock, .stop = stop_.get_token(), .observer = listener_};
    return prepare_run(plan, result_, context) && run_plan(plan, result_, context);
  }

  Thrown refusal(const RunOptions& options) {
    return thrown_by([&] { run(plan_of(options)); });
  }

  TemporaryDirectory home_;
  SteadyClock clock_;
  std::stop_source stop_;
  Listener listener_;
  Result result_;
};

}  // namespace loadline::test
