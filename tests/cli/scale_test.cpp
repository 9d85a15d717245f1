// Scaling studies that are refused before anything is measured. Studies of real ranks are in tests/results.
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "harness/ranks/mpi.h"
#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::StartsWith;

class Scale : public CommandLine {
 protected:
  // Runs a copy of the tool, with this file in the place of the module for MPI.
  Outcome run_with_module(const std::string& module, const std::string& words) const {
    const std::filesystem::path folder = home_ / "copy";
    write(folder / "loadline_mpi.so", module);
    std::filesystem::copy_file(kTool, folder / "loadline");
    Outcome outcome;
    const std::string command =
        fmt::format("cd '{}' && copy/loadline {} 2>&1 1>/dev/null", home_.path().string(), words);
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) outcome.err += static_cast<char>(c);
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    return outcome;
  }
};

TEST_F(Scale, IsRefusedBeforeTheFirstNumberOfRanksWhereMpiCannotBeLoaded) {
  const Outcome outcome = run_with_module("no library", "scale --ranks 1,2 --launcher 'env N={ranks}' -o study.json");
  EXPECT_EQ(outcome.exit_code, 1);
  const std::string why = why_no_mpi();
  EXPECT_THAT(outcome.err, StartsWith(why.empty() ? "loadline: cannot load loadline_mpi.so, which connects ranks by "
                                                    "MPI: " +
                                                        (home_ / "copy/loadline_mpi.so").string()
                                                  : "loadline: cannot join ranks into one run: " + why));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_EQ(files(), std::set<std::string>{"copy"});
}

}  // namespace
}  // namespace loadline::test
