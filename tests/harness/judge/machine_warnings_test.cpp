#include "harness/judge/machine_warnings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using Texts = std::map<std::string, std::string>;

constexpr double kMebibytes = 1 << 20;

// Three trials of a second each, one after another, sampled once a second.
struct Watched {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {10000, 10000, 10000}, .loader = "serial"}});

  Watched() {
    double start = 0;
    for (Trial& trial : result.cells[0].trials) {
      trial.clock_started_seconds = start;
      start += trial.wall_seconds;
    }
    result.monitor = MonitorRecord{.period_seconds = 1, .times_seconds = {0, 1, 2, 3}, .series = {}};
  }

  Watched& see(std::string name, std::vector<double> values) {
    values.insert(values.begin(), 0);
    result.monitor->series.push_back(
        {.name = std::move(name), .of = "it", .unit = "", .source = "test", .values = std::move(values)});
    return *this;
  }

  Texts warnings() const {
    std::vector<Warning> found;
    warn_of_machine_meanwhile(result, result.cells[0], found);
    Texts texts;
    for (const Warning& warning : found) texts[warning.id] = warning.message;
    return texts;
  }
};

TEST(MachineWarnings, AreAbsentOnAQuietMachine) {
  EXPECT_EQ(Watched().see("device read", {0, 0, 0}).see("read from storage", {0, 0, 0}).warnings(), Texts());
}

TEST(MachineWarnings, ReportSlotsOnAnotherNodeThanTheConsumers) {
  Watched run;
  for (Trial& trial : run.result.cells[0].trials) {
    trial.consumer_node = 0;
    trial.slot_nodes = {{.node = 0, .count = 10}};
  }
  EXPECT_EQ(run.warnings(), Texts());
  run.result.cells[0].trials[1].slot_nodes = {{.node = 0, .count = 4}, {.node = 1, .count = 6}};
  EXPECT_EQ(run.warnings(), (Texts{{"slots-on-other-node",
                                    "a CPU of NUMA node 0 took the batches of 1 of 3 trials of "
                                    "mnist/IO/serial/batch:100, and up to 6 of 10 slots were on other nodes: it waits "
                                    "longer for their memory"}}));
  run.result.cells[0].cell.placement.slot_node = 0;
  EXPECT_EQ(run.warnings(), (Texts{{"slots-not-placed",
                                    "a CPU of NUMA node 0 took the batches of 1 of 3 trials of "
                                    "mnist/IO/serial/batch:100, and up to 6 of 10 slots were on other nodes, although "
                                    "they were requested on this one"}}));
  run.result.cells[0].trials[1].consumer_node.reset();
  EXPECT_EQ(run.warnings(), Texts()) << "nobody knows who took the batches";
}

TEST(MachineWarnings, ReportCpusThatOtherGuestsTookEvenWithoutAMonitor) {
  Watched run;
  run.result.monitor.reset();
  run.result.cells[0].trials[1].usage.steal_seconds = 0.4;  // of four CPUs
  run.result.cells[0].trials[2].usage.steal_seconds = 0.1;
  EXPECT_EQ(run.warnings(), (Texts{{"stolen",
                                    "the hypervisor gave the CPUs to other guests for 6 % of the time of the trials of "
                                    "mnist/IO/serial/batch:100, and for up to 10 % of one"}}));
  run.result.cells[0].trials[0].usage.steal_seconds = 0;
  EXPECT_EQ(run.warnings(), Texts()) << "less than is noticeable";
}

TEST(MachineWarnings, ReportOtherReadersOfTheTrialsDevice) {
  Watched run;
  run.see("device read", {90 * kMebibytes, 100 * kMebibytes, 60 * kMebibytes})
      .see("read from storage", {90 * kMebibytes, 50 * kMebibytes, 0});
  EXPECT_EQ(run.warnings(), (Texts{{"other-readers",
                                    "other processes read from the device of the data during 1 of 3 trials of "
                                    "mnist/IO/serial/batch:100, up to 50.0 MiB/s"}}));
  run.result.loaders = {{.loader = "serial", .origin = {}, .delivered = {}}};
  EXPECT_EQ(run.warnings(), Texts()) << "whose processes may be the readers";
}

TEST(MachineWarnings, ReportSwappingAndTheMemoryThatWasLeft) {
  Watched run;
  run.see("swapped in", {0, 2 * kMebibytes, 0})
      .see("swapped out", {0, 1 * kMebibytes, 0})
      .see("memory available", {9e9, 1 << 30, 9e9});
  run.result.monitor->series.back().values[0] = 9e9;
  EXPECT_EQ(run.warnings(), (Texts{{"swapping",
                                    "the system swapped up to 3.0 MiB/s during 1 of 3 trials of "
                                    "mnist/IO/serial/batch:100: the machine had as little as 1.0 GiB available"}}));
}

TEST(MachineWarnings, ReportPagesThatWarmTrialsHadToReadAgain) {
  Watched run;
  run.see("read again after reclaim", {0, 4 * kMebibytes, 9 * kMebibytes})
      .see("read from storage", {0, 4 * kMebibytes, 8 * kMebibytes})
      .see("memory of the group", {900, 1000, 1000});
  run.result.environment.machine.cgroup_memory_limit_bytes = 1024;
  EXPECT_EQ(
      run.warnings(),
      (Texts{{"cache-reclaimed",
              "up to 8.0 MiB/s of cached file data was read again during 2 of 3 trials of mnist/IO/serial/batch:100, "
              "because the system had dropped it from the page cache: the control group had reached its limit of "
              "1.0 KiB"}}));
  run.result.cells[0].cell.cache = CacheState::kCold;
  EXPECT_EQ(run.warnings(), Texts()) << "whose pages had to go";
}

TEST(MachineWarnings, DoNotCountPagesThatOtherProcessesReadAgain) {
  Watched run;
  run.see("read again after reclaim", {0, 4 * kMebibytes, 8 * kMebibytes}).see("read from storage", {0, 0, 1000});
  EXPECT_EQ(run.warnings(), Texts());
}

TEST(MachineWarnings, DoNotCallMemoryShortThatTheMachineHasPlentyOf) {
  Watched run;
  run.see("read again after reclaim", {0, 0, 2 * kMebibytes})
      .see("read from storage", {0, 0, 2 * kMebibytes})
      .see("memory available", {21e9, 22e9, 22e9});
  run.result.monitor->series.back().values[0] = 21e9;
  run.result.environment.machine.memory_total_bytes = 25'000'000'000;
  EXPECT_EQ(run.warnings(),
            (Texts{{"cache-reclaimed",
                    "up to 2.0 MiB/s of cached file data was read again during 1 of 3 trials of "
                    "mnist/IO/serial/batch:100, because the system had dropped it from the page cache: the machine "
                    "always had at least 19.6 GiB available, so a control group may have reached its limit"}}));
}

}  // namespace
}  // namespace loadline
