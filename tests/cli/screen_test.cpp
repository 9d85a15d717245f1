// What people see: on terminals of any width, with colours and without, and through pipes.
#include "tests/cli/screen.h"

#include <algorithm>
#include <array>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::size_t columns_in(std::string_view line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

// The width of the widest line that can be broken. A line of one word, such as the name of a cell, cannot.
std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const std::size_t first = line.find_first_not_of(' ');
    if (line.find(' ', std::min(first, line.size())) != std::string_view::npos) most = std::max(most, columns_in(line));
    begin = end + 1;
  }
  return most;
}

class OnATerminal : public CommandLine {
 protected:
  OnATerminal() {
    world_.environment["TERM"] = "xterm";
    world_.environment["COLUMNS"] = "";
    world_.environment["NO_COLOR"] = "";
  }

  Words wide_run() const {
    return short_run(mnist()) + Words{"--loader",   "thread-pool", "--workers", "1,2",     "--prefetch",
                                      "2,3",        "--dtype",     "u8,f32",    "--order", "shuffled,sequential",
                                      "--overwrite"};
  }
};

TEST_F(OnATerminal, ProgressIsErased) {
  world_.err_columns = 60;
  const Outcome outcome = run(wide_run());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_THAT(outcome.err, HasSubstr("trial 1/1 mnist/FULL")) << "there was some";
  Screen screen(60);
  screen.write(outcome.err);
  EXPECT_THAT(screen.lines(), Each(Not(StartsWith("trial "))));
  EXPECT_THAT(screen.lines(), Each(Not(HasSubstr("samples/s ("))));
}

TEST_F(OnATerminal, TablesAndSentencesKeepToItsWidth) {
  const Words words = wide_run();
  for (const unsigned short columns : std::array<unsigned short, 3>{60, 80, 100}) {
    world_.out_columns = columns;
    world_.err_columns = columns;
    const Outcome outcome = run(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_LE(widest(outcome.out), columns) << outcome.out;
    Screen endless(10'000);  // shows the full length of lines that a narrower one would break
    endless.write(outcome.err);
    for (const std::string& line : endless.lines()) EXPECT_LE(widest(line), columns) << line;
  }
}

TEST_F(OnATerminal, ATableSaysWhatItLeavesOut) {
  world_.out_columns = 60;
  const Outcome outcome = run(wide_run());
  EXPECT_THAT(outcome.out, HasSubstr("\nnot shown in 60 columns: batch 8, workload mnist"));
}

TEST_F(OnATerminal, ColumnsHasTheLastWord) {
  world_.environment["COLUMNS"] = "70";
  const Outcome outcome = run(wide_run());
  EXPECT_THAT(outcome.out, HasSubstr("\nnot shown in 70 columns: "));
}

TEST_F(OnATerminal, APipeHasNoWidth) {
  const Outcome outcome = run(wide_run());
  EXPECT_THAT(outcome.out, Not(HasSubstr("not shown in")));
  EXPECT_THAT(outcome.out, HasSubstr("workload  loader           batch  further"));
}

TEST_F(OnATerminal, ADumbOneGetsALineForEachTrial) {
  world_.err_columns = 80;
  world_.environment["TERM"] = "dumb";
  const Outcome outcome = run(short_run(mnist()));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("trial 1/1 mnist/IO/serial/batch:8: "), Not(HasSubstr("\033"))));
}

TEST_F(OnATerminal, HelpHasEightyColumns) {
  for (const Words& words :
       {Words{"--help"}, Words{"run", "--help"}, Words{"run", "--help-all"}, Words{"ceilings", "--help-all"},
        Words{"train", "--help-all"}, Words{"ab", "--help-all"}, Words{"aa", "--help-all"}, Words{"diff", "--help"},
        Words{"data", "convert", "--help"}, Words{"baseline", "history", "--help"}, Words{"help", "run", "trials"}}) {
    SCOPED_TRACE(testing::PrintToString(words));
    world_.out_columns.reset();
    EXPECT_LE(widest(run(words).out), 80U);
    world_.out_columns = 60;
    EXPECT_LE(widest(run(words).out), 60U);
  }
}

// Colours

class Coloured : public OnATerminal {
 protected:
  // The comparison of a result with one whose trials took twice as long.
  Words regression() const {
    const Words words{"--mode", "io", "--loader", "serial", "--trials", "5"};
    EXPECT_EQ(run(short_run(mnist(), "base.json") + words).exit_code, 0);
    auto json = result("base.json");
    for (auto& cell : json["cells"]) {
      for (std::size_t i = 0; i < cell["trials"].size(); ++i) {
        auto& trial = cell["trials"][i];
        trial["wall_seconds"] = trial["samples"].get<double>() / (1000.0 + static_cast<double>(i));
      }
    }
    write(home_ / "base.json", json.dump());
    for (auto& cell : json["cells"]) {
      for (auto& trial : cell["trials"]) trial["wall_seconds"] = 2 * trial["wall_seconds"].get<double>();
    }
    write(home_ / "slower.json", json.dump());
    return {"diff", "base.json", "slower.json"};
  }
};

TEST_F(Coloured, VerdictsAppearOnATerminal) {
  const Words words = regression();
  EXPECT_THAT(run(words).out, AllOf(StartsWith("regression: mnist/IO"), Not(HasSubstr("\033"))));
  world_.out_columns = 120;
  EXPECT_THAT(run(words).out, StartsWith("\033[31mregression\033[0m: mnist/IO"));
}

TEST_F(Coloured, VerdictsDisappearWithNoColor) {
  const Words words = regression();
  world_.out_columns = 120;
  world_.environment["NO_COLOR"] = "1";
  EXPECT_THAT(run(words).out, Not(HasSubstr("\033")));
  EXPECT_THAT(run(words + Words{"--color", "always"}).out, HasSubstr("\033[31m")) << "who asks for it gets it";
}

TEST_F(Coloured, VerdictsFollowTheOption) {
  const Words words = regression();
  EXPECT_THAT(run(words + Words{"--color", "always"}).out, HasSubstr("\033[31m"));
  EXPECT_THAT(run(words + Words{"--color", "always", "--format", "json"}).out, Not(HasSubstr("\033")));
  world_.out_columns = 120;
  EXPECT_THAT(run(words + Words{"--color", "never"}).out, Not(HasSubstr("\033")));
  EXPECT_EQ(refusals(run(words + Words{"--color", "sometimes"})),
            Words{"--color 'sometimes': want one of auto, always, never"});
}

}  // namespace
}  // namespace loadline::test
