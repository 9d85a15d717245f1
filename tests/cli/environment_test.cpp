// `loadline` where the system gives it less than usual: it measures, or ends with one sentence.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "harness/machine/run_id.h"
#include "loaders/system/affinity.h"
#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kWhyNotSanitized = "the sanitizer wants /proc, descriptors, CPUs and memory for itself";

// A control group (version 1 or 2) with one controller, if this process may create it.
class Group {
 public:
  explicit Group(const std::string& controller) : two_(!std::filesystem::exists("/sys/fs/cgroup/" + controller)) {
    path_ = std::filesystem::path("/sys/fs/cgroup") / (two_ ? "" : controller) /
            fmt::format("loadline-{}-{}", controller, ::getpid());
    std::error_code code;
    made_ = std::filesystem::create_directory(path_, code) && !code;
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (made_) ::rmdir(path_.c_str());
  }

  // `cpus` may be a fraction. Returns false if the system does not allow the limit.
  bool set_cpus(double cpus) const {
    const int quota = static_cast<int>(cpus * 100'000);
    return two_ ? put("cpu.max", fmt::format("{} 100000", quota)) : put("cpu.cfs_quota_us", fmt::format("{}", quota));
  }
  bool set_memory(std::size_t bytes) const {
    return put(two_ ? "memory.max" : "memory.limit_in_bytes", fmt::format("{}", bytes));
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  bool put(const char* file, const std::string& text) const {
    if (!made_ || !std::filesystem::exists(path_ / file)) return false;
    std::ofstream out(path_ / file);
    out << text;
    out.close();
    return !out.fail();
  }

  bool two_;
  std::filesystem::path path_;
  bool made_ = false;
};

class Surroundings : public CommandLine {
 protected:
  static Words small_run(const std::string& data) { return short_run(data) + Words{"--loader", "serial,thread-pool"}; }

  // Expects a run in this world to measure.
  void expect_figure(const Words& words) {
    const Outcome outcome = run(words);
    if (outcome.exit_code == kNoWorld) GTEST_SKIP() << "this world cannot be made here, for want of rights";
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.signal, 0);
    EXPECT_THAT(outcome.out, HasSubstr("samples/s, mean ± standard deviation of the trials"));
    EXPECT_EQ(result()["status"], "complete");
  }

  // Expects a run in this world to end with one sentence that starts with `start` and contains `part`.
  void expect_sentence(const Words& words, int exit_code, const std::string& start, const std::string& part = "") {
    const Outcome outcome = run(words);
    if (outcome.exit_code == kNoWorld) GTEST_SKIP() << "this world cannot be made here, for want of rights";
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_EQ(outcome.signal, 0);
    ASSERT_EQ(refusals(outcome).size(), 1U) << outcome.err;
    EXPECT_THAT(refusals(outcome)[0], StartsWith(start));
    EXPECT_THAT(refusals(outcome)[0], HasSubstr(part));
  }

  // The unprivileged user needs access to the files of the test.
  void become_nobody() {
    std::filesystem::permissions(home_.path(), std::filesystem::perms::all);
    world_.nobody = true;
  }
};

TEST_F(Surroundings, WithoutProcAllowARun) {
  if (kSanitized) GTEST_SKIP() << kWhyNotSanitized;
  world_.hidden = {"/proc"};
  expect_figure(small_run(mnist()));
}

TEST_F(Surroundings, WithoutSysAllowARun) {
  world_.hidden = {"/sys"};
  expect_figure(small_run(mnist()));
}

TEST_F(Surroundings, WithoutProcAndSysAllowCeilingsToo) {
  if (kSanitized) GTEST_SKIP() << kWhyNotSanitized;
  world_.hidden = {"/proc", "/sys"};
  expect_figure(small_run(mnist()) + Words{"--ceilings", "on"});
}

TEST_F(Surroundings, WithAStackOf64KiBAreReported) {
  world_.limits = {{RLIMIT_STACK, 64 << 10}};
  expect_sentence({"list"}, 1, "the stack limit is 64 KiB (RLIMIT_STACK), want at least 512 KiB; raise it with");
}

TEST_F(Surroundings, WithAStackOf512KiBAllowARun) {
  world_.limits = {{RLIMIT_STACK, 512 << 10}};
  expect_figure(small_run(mnist()) + Words{"--loader", "thread-pool,flow-graph"});
}

TEST_F(Surroundings, WithFewDescriptorsGiveAFigureOrASentence) {
  if (kSanitized) GTEST_SKIP() << kWhyNotSanitized;
  const std::string data = mnist();
  for (const std::size_t most : {4U, 5U, 6U, 8U}) {
    SCOPED_TRACE(most);
    world_.limits = {{RLIMIT_NOFILE, most}};
    const Outcome outcome = run(small_run(data));
    EXPECT_EQ(outcome.signal, 0);
    // With so few descriptors the dynamic loader may have none left for the libraries; it then exits with 127.
    if (outcome.exit_code == 0 || outcome.exit_code == 127) continue;
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_EQ(refusals(outcome).size(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("Too many open files"));
  }
}

TEST_F(Surroundings, WithoutASpareThreadAreReported) {
  become_nobody();
  world_.limits = {{RLIMIT_NPROC, 1}};
  expect_sentence(short_run(mnist()), 1, "cannot start a thread to wait for signals: ", "RLIMIT_NPROC");
}

TEST_F(Surroundings, WithLittleMemoryRefuseTheRunBeforeItAllocates) {
  if (kSanitized) GTEST_SKIP() << kWhyNotSanitized;
  world_.limits = {{RLIMIT_DATA, 64 << 20}};
  expect_sentence(short_run(mnist()) + Words{"--loader", "thread-pool", "--prefetch", "1000000", "--dry-run"}, 2,
                  "the run needs ", "RLIMIT_DATA leaves ");
}

TEST_F(Surroundings, WithLittleAddressSpaceRefuseTheRunToo) {
  if (kSanitized) GTEST_SKIP() << kWhyNotSanitized;
  world_.limits = {{RLIMIT_AS, std::size_t{1} << 30}};
  expect_figure(small_run(mnist()));
  expect_sentence(short_run(mnist()) + Words{"--loader", "thread-pool", "--prefetch", "1000000"}, 2, "the run needs ",
                  "RLIMIT_AS leaves ");
}

TEST_F(Surroundings, WithLittleMemoryOrderFourBillionCrops) {
  if (kSanitized) GTEST_SKIP() << kWhyNotSanitized;
  const std::string volume = (home_ / "nbody.h5").string();
  ASSERT_EQ(run({"data", "make", "nbody", volume, "--size", "8", "-q"}).exit_code, 0);
  world_.limits = {{RLIMIT_DATA, std::size_t{4} << 30}};
  EXPECT_EQ(run({"run", "--workload", "nbody", "--data", volume, "--crop-edge", "4", "--crops", "4000000000", "--mode",
                 "io", "--dry-run"})
                .exit_code,
            0);
}

TEST_F(Surroundings, ShowTheMemoryThatADryRunNeeds) {
  const Outcome outcome = run(short_run(mnist()) + Words{"--dry-run"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("\nthe run needs "));
}

TEST_F(Surroundings, ThatRefusePlacementAreReported) {
  if (affinity_cpus().size() < 2) GTEST_SKIP() << "one CPU cannot be shared out";
  world_.refused_calls = {SYS_sched_setaffinity};
  for (const char* loader : {"serial", "thread-pool", "flow-graph"}) {
    SCOPED_TRACE(loader);
    expect_sentence(short_run(mnist()) + Words{"--loader", loader, "--placement", "split"}, 1,
                    "--placement split: cannot pin a thread to CPUs ", "Operation not permitted");
  }
}

TEST_F(Surroundings, MayRefusePlacementThatNobodyRequests) {
  if (kSanitized) GTEST_SKIP() << kWhyNotSanitized;
  world_.refused_calls = {SYS_sched_setaffinity, SYS_sched_getaffinity};
  expect_figure(small_run(mnist()));
}

TEST_F(Surroundings, WithHalfACpuAreReported) {
  const Group group("cpu");
  if (!group.set_cpus(0.5)) GTEST_SKIP() << "no control group with a quota can be made here";
  world_.groups = {group.path()};
  const Outcome outcome = run(short_run(mnist()) + Words{"--loader", "serial"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::ContainsRegex(", 0.5 of [0-9]+ CPUs in force\n"));
  EXPECT_EQ(result()["machine"]["cgroup_cpu_limit"], 0.5);
}

// A twentieth of a CPU: the run uses that up even where others leave it hardly any CPU.
TEST_F(Surroundings, WithAQuotaMarkThrottledTrials) {
  const Group group("cpu");
  if (!group.set_cpus(0.05)) GTEST_SKIP() << "no control group with a quota can be made here";
  world_.groups = {group.path()};
  const Outcome outcome = run(Words{"run",        "--workload",
                                    "mnist",      "--data",
                                    mnist(),      "--batch-size",
                                    "8",          "--mode",
                                    "io",         "--trials",
                                    "1",          "--trial-seconds",
                                    "1",          "--first-epoch-seconds",
                                    "0",          "--ceilings",
                                    "off",        "--loader",
                                    "serial",     "-o",
                                    "result.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("throttled"));
  EXPECT_EQ(result()["cells"][0]["throttled_trials"], nlohmann::json::array({0}));
}

TEST_F(Surroundings, ThatSetAQuotaDuringARunAreReported) {
  const Group group("cpu");
  if (!group.set_cpus(8)) GTEST_SKIP() << "no control group with a quota can be made here";
  world_.groups = {group.path()};
  Tool tool(long_run(mnist()) + Words{"--loader", "serial"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  ASSERT_TRUE(group.set_cpus(0.75));
  ASSERT_TRUE(tool.wait_until_err_says("trial 20/"));
  tool.send(SIGINT);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("a quota of 0.75 CPUs"));
  EXPECT_THAT(outcome.err, HasSubstr("[cpus-changed]"));
  EXPECT_EQ(result()["cells"][0]["trials"].back()["changed_cpus"]["cgroup_cpu_limit"], 0.75);
}

TEST_F(Surroundings, WithAMemoryLimitRefuseWhatDoesNotFit) {
  if (kSanitized) GTEST_SKIP() << kWhyNotSanitized;
  const Group group("memory");
  if (!group.set_memory(256 << 20)) GTEST_SKIP() << "no control group with a memory limit can be made here";
  world_.groups = {group.path()};
  expect_figure(small_run(mnist()) + Words{"--ceilings", "on"});
  expect_sentence(short_run(mnist()) + Words{"--loader", "thread-pool", "--prefetch", "1000000"}, 2, "the run needs ",
                  ", and the memory limit of the control group leaves ");
}

// The smallest container, which shows none of its limits.
TEST_F(Surroundings, WithHalfACpu256MiBAReadOnlyRootAndNoSysAllowARun) {
  if (kSanitized) GTEST_SKIP() << kWhyNotSanitized;
  const Group cpu("cpu");
  const Group memory("memory");
  if (!cpu.set_cpus(0.5) || !memory.set_memory(256 << 20)) GTEST_SKIP() << "no such control groups can be made here";
  const std::string data = mnist();
  world_.groups = {cpu.path(), memory.path()};
  world_.hidden = {"/sys"};
  world_.read_only = true;
  const Outcome outcome =
      run(short_run(data, "-") + Words{"--loader", "thread-pool", "--workers", "1", "--ceilings", "on"});
  if (outcome.exit_code == kNoWorld) GTEST_SKIP() << "this world cannot be made here, for want of rights";
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["status"], "complete");
  expect_sentence({"run", "--workload", "mnist", "--data", data, "--mode", "io"}, 1, "cannot write loadline-",
                  ": Read-only file system");
  expect_sentence(short_run(data, "-") + Words{"--loader", "thread-pool", "--prefetch", "100000"}, 2, "the run needs ",
                  "and the container (found by trial) leaves ");
}

TEST_F(Surroundings, WithoutAHomeAllowARun) {
  world_.unset = {"HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "LOADLINE_BASELINES"};
  world_.environment.erase("LOADLINE_BASELINES");
  expect_figure(small_run(mnist()));
}

TEST_F(Surroundings, WithAReadOnlyHomeRefuseABaselineBeforeAnythingIsMeasured) {
  world_.unset = {"XDG_DATA_HOME", "LOADLINE_BASELINES"};
  world_.environment.erase("LOADLINE_BASELINES");
  world_.environment["HOME"] = "/proc";
  const Outcome outcome = run(small_run(mnist()) + Words{"--save-baseline", "mine"});
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(refusals(outcome).size(), 1U);
  EXPECT_THAT(refusals(outcome)[0], StartsWith("cannot write /proc/.local/share/loadline/baselines/mine.json: "));
  EXPECT_FALSE(std::filesystem::exists(home_ / "result.json"));
}

TEST_F(Surroundings, WithAFullStdoutFail) {
  world_.stdout_file = "/dev/full";
  for (const Words& words : {Words{"--help"}, Words{"--version"}, Words{"list"}, Words{"run", "--help"},
                             small_run(mnist()), short_run(mnist(), "-")}) {
    SCOPED_TRACE(words.back());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 1);
    ASSERT_EQ(refusals(outcome).size(), 1U);
    EXPECT_THAT(refusals(outcome)[0], StartsWith("cannot write to stdout"));
  }
}

TEST_F(Surroundings, WithoutStandardStreamsAllowARun) {
  world_.closed = {0, 1, 2};
  EXPECT_EQ(run(small_run(mnist())).exit_code, 0);
  EXPECT_EQ(result()["status"], "complete");
}

// Only the first process used to speak, so one that had inherited these variables by mistake ended in silence.
TEST_F(Surroundings, OfALaterRankThatIsNotConnectedLetItSayWhatIsWrong) {
  const std::string data = mnist();
  world_.environment["SLURM_STEP_NUM_TASKS"] = "4";
  world_.environment["SLURM_PROCID"] = "2";
  world_.unset = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_NAMESPACE", "PMI_FD"};
  const Outcome outcome = run(small_run(data));
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(refusals(outcome).size(), 1U) << outcome.err;
  EXPECT_THAT(refusals(outcome)[0], StartsWith("srun started 4 processes"));
  expect_refusal(run({"run", "--trialz", "4"}), 2, "run: unknown option '--trialz' (did you mean --trials?)");
}

TEST_F(Surroundings, WithABrokenPipeEndTheToolWithoutASignal) {
  world_.deaf_stdout = true;
  const Outcome outcome = run({"list"});
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_EQ(outcome.exit_code, 141);
}

TEST_F(Surroundings, InAnyLocaleAndTimeZoneGiveTheSameNumbers) {
  world_.environment["LC_ALL"] = "de_DE.UTF-8";
  world_.environment["TZ"] = "Pacific/Kiritimati";
  expect_figure(small_run(mnist()));
  const auto json = result();
  const auto started = json["started"].get<std::string>();
  EXPECT_TRUE(started.ends_with('Z'));
  const auto age = std::chrono::system_clock::now() - *parse_utc_timestamp(started);
  EXPECT_GE(age, std::chrono::seconds(0));
  EXPECT_LT(age, std::chrono::minutes(5)) << "UTC, and not 14 hours ahead";
  EXPECT_LE(started, json["finished"].get<std::string>());
}

}  // namespace
}  // namespace loadline::test
