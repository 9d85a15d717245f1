#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

class Echo : public CommandLine {};

TEST_F(Echo, SaysItsWords) {
  EXPECT_EQ(run({"echo", "two", "words"}).out, "two words\n");
  expect_refusal(run({"echo"}), 2, "echo: words are required, see --help");
}

}  // namespace
}  // namespace loadline::test
