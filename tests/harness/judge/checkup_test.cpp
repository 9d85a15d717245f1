#include "harness/judge/checkup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/show/checkup_text.h"
#include "loaders/error.h"
#include "tests/harness/machine/fake_system.h"

namespace loadline {
namespace {

Symptom symptom_of(const std::vector<Symptom>& symptoms, std::string_view subject) {
  const auto found = std::ranges::find(symptoms, subject, &Symptom::subject);
  return found == symptoms.end() ? Symptom{.subject = "missing"} : *found;
}

Machine quiet_machine() {
  return {.virtualised = true,
          .physical_cores = 4,
          .logical_cpus = 4,
          .numa_nodes = 1,
          .cpu_governor = "performance",
          .clocksource = "tsc",
          .affinity_cpus = 4,
          .threads_in_force = 4,
          .memory_total_bytes = std::uint64_t{8} << 30,
          .memory_available_bytes = std::uint64_t{6} << 30,
          .transparent_huge_pages = "madvise"};
}

const MachineCounts kCountsBefore{
    .cpu_ticks = 1000, .busy_ticks = 100, .stolen_ticks = 10, .swapped_pages = 7, .refaulted_pages = 3};
// A second later, with four idle CPUs.
const MachineCounts kQuiet{
    .cpu_ticks = 1400, .busy_ticks = 101, .stolen_ticks = 10, .swapped_pages = 7, .refaulted_pages = 3};

TEST(Checkup, FindsNothingOnAQuietMachine) {
  FakeSystem system;
  system.write("/proc/meminfo", "SwapTotal: 1024 kB\nSwapFree: 1024 kB\n");
  for (const Symptom& symptom : checkup(quiet_machine(), system.files(), kCountsBefore, kQuiet)) {
    EXPECT_EQ(symptom.health, Health::kFine) << symptom.subject << ": " << symptom.found;
    EXPECT_EQ(symptom.advice, "") << symptom.subject;
  }
}

TEST(Checkup, SaysWhatItCannotSeeAndLeavesOutWhatElseTheSystemDoesNotReport) {
  const FakeSystem system;
  EXPECT_EQ(checkup_text(checkup(Machine(), system.files(), {}, {})),
            "unknown   other work  /proc/stat does not tell\n"
            "unknown   swap        /proc/meminfo does not tell\n"
            "unknown   page cache  /proc/vmstat does not tell\n"
            "ok        CPUs        1 of 1 CPU in force\n"
            "\nNothing that could be seen disturbs measurements here; 3 unknown.\n");
}

TEST(Checkup, ReportsAQuotaAndThreadsThatShareACore) {
  const FakeSystem system;
  Machine machine = quiet_machine();
  machine.cgroup_cpu_limit = 1.5;
  machine.threads_in_force = 2;
  machine.physical_cores = 2;
  const auto symptoms = checkup(machine, system.files(), kCountsBefore, kQuiet);
  EXPECT_EQ(symptom_of(symptoms, "CPUs").health, Health::kNote);
  EXPECT_EQ(symptom_of(symptoms, "CPUs").found,
            "1.5 of 4 CPUs in force: a quota of 1.5 CPUs throttles a process that uses more");
  EXPECT_EQ(symptom_of(symptoms, "cores").found, "2 cores hold 4 CPUs: two threads of one core slow each other down");
}

TEST(Checkup, ReportsFrequenciesThatChange) {
  FakeSystem system;
  system.write("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  Machine machine = quiet_machine();
  machine.cpu_governor = "powersave";
  const auto symptoms = checkup(machine, system.files(), kCountsBefore, kQuiet);
  EXPECT_EQ(symptom_of(symptoms, "governor").health, Health::kDisturbs);
  EXPECT_EQ(symptom_of(symptoms, "governor").found, "'powersave' changes CPU frequency with load");
  EXPECT_EQ(symptom_of(symptoms, "turbo").health, Health::kNote);
}

TEST(Checkup, MeasuresOtherWorkAndSteal) {
  const FakeSystem system;
  MachineCounts later = kQuiet;
  later.busy_ticks = 200;  // a quarter of the 400 ticks of four CPUs
  later.stolen_ticks = 30;
  const auto symptoms = checkup(quiet_machine(), system.files(), kCountsBefore, later);
  EXPECT_EQ(symptom_of(symptoms, "other work").health, Health::kDisturbs);
  EXPECT_EQ(symptom_of(symptoms, "other work").found, "other processes use 1.00 CPUs");
  EXPECT_EQ(symptom_of(symptoms, "steal").health, Health::kDisturbs);
  EXPECT_EQ(symptom_of(symptoms, "steal").found, "the host gives 5.0 % of this virtual machine's CPU time to others");
  Machine metal = quiet_machine();
  metal.virtualised = false;
  EXPECT_EQ(symptom_of(checkup(metal, system.files(), kCountsBefore, later), "steal").subject, "missing");
}

TEST(Checkup, ReportsThatMemoryIsShort) {
  FakeSystem system;
  system.write("/proc/meminfo", "SwapTotal: 2048 kB\nSwapFree: 1024 kB\n");
  Machine machine = quiet_machine();
  machine.memory_available_bytes = std::uint64_t{512} << 20;
  machine.transparent_huge_pages = "never";
  machine.cgroup_memory_limit_bytes = std::uint64_t{1} << 30;
  machine.cgroup_memory_left_bytes = std::uint64_t{256} << 20;
  MachineCounts later = kQuiet;
  later.swapped_pages = 8;
  later.refaulted_pages = 1003;
  const auto symptoms = checkup(machine, system.files(), kCountsBefore, later);
  EXPECT_EQ(symptom_of(symptoms, "memory").health, Health::kDisturbs);
  EXPECT_EQ(symptom_of(symptoms, "memory").found, "512.0 MiB of 8.0 GiB available");
  EXPECT_EQ(symptom_of(symptoms, "memory limit").found,
            "the control group may use 1.0 GiB, cached files included, and 256.0 MiB is left");
  EXPECT_EQ(symptom_of(symptoms, "swap").found, "1.0 MiB in use, and pages move");
  EXPECT_EQ(symptom_of(symptoms, "page cache").health, Health::kDisturbs);
  EXPECT_EQ(symptom_of(symptoms, "huge pages").health, Health::kDisturbs);
  EXPECT_EQ(symptom_of(checkup(machine, system.files(), kCountsBefore, kQuiet), "swap").health, Health::kNote)
      << "in use, and still";
}

TEST(Checkup, ReportsNodesAndASlowClock) {
  FakeSystem system;
  system.write("/proc/sys/kernel/numa_balancing", "1\n");
  Machine machine = quiet_machine();
  machine.numa_nodes = 2;
  machine.clocksource = "hpet";
  const auto symptoms = checkup(machine, system.files(), kCountsBefore, kQuiet);
  EXPECT_EQ(symptom_of(symptoms, "NUMA").found,
            "2 nodes, and the kernel moves pages between them: memory on another node is slower");
  EXPECT_EQ(symptom_of(symptoms, "clock").health, Health::kDisturbs);
}

TEST(Checkup, NotesAModuleThatCannotBeLoaded) {
  const Loadable mpi{.subject = "MPI",
                     .left_out = "",
                     .without = "several ranks cannot form one run",
                     .unloaded = "mpirun -n 2 loadline run does not work here"};
  const Symptom missing = module_symptom(mpi, []() -> std::string {
    throw Error("cannot load loadline_mpi.so, which connects ranks: it is not in /usr/local/lib/loadline");
  });
  EXPECT_EQ(checkup_text({&missing, 1}),
            "note      MPI  cannot load loadline_mpi.so, which connects ranks: it is not in "
            "/usr/local/lib/loadline; mpirun -n 2 loadline run does not work here\n"
            "\nNothing disturbs measurements here; 1 note.\n");
  const Symptom there = module_symptom(mpi, [] { return "Open MPI v4.1.4: mpirun makes one run of many ranks"; });
  EXPECT_EQ(there.health, Health::kFine);
  EXPECT_EQ(there.found, "Open MPI v4.1.4: mpirun makes one run of many ranks");
}

TEST(Checkup, NotesAModuleThatTheBuildLacks) {
  const Symptom symptom =
      module_symptom({.subject = "SimGrid",
                      .left_out = "SimGrid was not found; install libsimgrid-dev and configure again",
                      .without = "forecasts are not simulated",
                      .unloaded = "forecast --simulate does not work here"},
                     []() -> std::string { throw Error("is not called"); });
  EXPECT_EQ(symptom.health, Health::kNote);
  EXPECT_EQ(symptom.found, "forecasts are not simulated");
  EXPECT_EQ(symptom.advice, "SimGrid was not found; install libsimgrid-dev and configure again");
}

TEST(MachineCounts, AreReadFromProc) {
  FakeSystem system;
  system.write("/proc/stat", "cpu  10 2 3 80 5 1 4 6 9 9\ncpu0 10 2 3 80 5 1 4 6 9 9\n")
      .write("/proc/vmstat", "pswpin 4\npswpout 5\nworkingset_refault_file 11\n");
  const MachineCounts counts = machine_counts(system.files());
  EXPECT_EQ(counts.cpu_ticks, 111);
  EXPECT_EQ(counts.busy_ticks, 20);
  EXPECT_EQ(counts.stolen_ticks, 6);
  EXPECT_EQ(counts.swapped_pages, 9);
  EXPECT_EQ(counts.refaulted_pages, 11);
  EXPECT_EQ(machine_counts(FakeSystem().files()).cpu_ticks, std::nullopt);
}

}  // namespace
}  // namespace loadline
