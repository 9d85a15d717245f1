#include "harness/show/wrap.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(ColumnsOf, CountsWhatATerminalShows) {
  EXPECT_EQ(columns_of("1 ± 2 µs"), 8U);
  EXPECT_EQ(columns_of("数据"), 4U) << "two columns each";
  EXPECT_EQ(columns_of("e\xcc\x81"), 1U) << "an accent of its own stands on the letter before it";
  EXPECT_EQ(columns_of("\xff\xfe"), 2U) << "no UTF-8";
  EXPECT_EQ(columns_of(""), 0U);
}

TEST(Wrapped, BreaksAtSpacesAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("one two three four\n", 10), "one two\n  three\n  four\n");
  EXPECT_EQ(wrapped("  one two three\n", 10), "  one two\n    three\n");
}

TEST(Wrapped, LeavesAloneWhatFitsAndTextOfUnlimitedWidth) {
  EXPECT_EQ(wrapped("one two\n\nthree", 7), "one two\n\nthree");
  const std::string line(500, 'x');
  EXPECT_EQ(wrapped(line + " y", kUnlimited), line + " y");
}

TEST(Wrapped, KeepsToTheSecondColumnWhereThereIsOne) {
  EXPECT_EQ(wrapped("  gather   slots filled with samples\n", 24),
            "  gather   slots filled\n"
            "           with samples\n");
}

TEST(Wrapped, NeverBreaksAFigure) {
  EXPECT_EQ(wrapped("as much as 3.36 ± 0.16 M samples/s", 16), "as much as\n  3.36 ± 0.16 M\n  samples/s");
  EXPECT_EQ(wrapped("stall of 12 %, or", 12), "stall of\n  12 %, or");
  EXPECT_EQ(wrapped("use thread-pool x 2", 17), "use\n  thread-pool x 2");
  EXPECT_EQ(wrapped("it is so (p < 0.001)", 16), "it is so\n  (p < 0.001)");
}

TEST(Wrapped, NeverBreaksAWord) {
  EXPECT_EQ(wrapped("see /a/very/long/path here", 10), "see\n  /a/very/long/path\n  here");
  EXPECT_EQ(wrapped("/a/very/long/path", 5), "/a/very/long/path");
}

TEST(Wrapped, ContinuesACommandAfterABackslash) {
  EXPECT_EQ(wrapped("  loadline run --workload mnist --workers 2\n", 30),
            "  loadline run --workload \\\n"
            "    mnist --workers 2\n");
  EXPECT_EQ(wrapped("  loadline ab --base '--workers 1 --prefetch 2'\n", 30),
            "  loadline ab --base \\\n"
            "    '--workers 1 --prefetch 2'\n")
      << "a quotation is one word";
  EXPECT_EQ(wrapped("  python3 -m loadline run --loader a.py:make\n", 30),
            "  python3 -m loadline run \\\n"
            "    --loader a.py:make\n");
}

TEST(ShortenedLine, IsWholeWhereItFits) {
  EXPECT_EQ(shortened_line("trial 1", " (2 s left)", 18), "trial 1 (2 s left)");
}

TEST(ShortenedLine, CutsTheHeadAndKeepsTheTail) {
  EXPECT_EQ(shortened_line("trial 1/5 mnist/IO/serial", " (2 s left)", 30), "trial 1/5 mnist/... (2 s left)");
}

TEST(ShortenedLine, ShowsNoPartOfAFigure) {
  EXPECT_EQ(shortened_line("mnist: 123456 samples/s", "", 14), "mnist: ...");
}

TEST(ShortenedLine, GivesUpTheTailBeforeTheHead) {
  EXPECT_EQ(shortened_line("trial 1/5", " (about 12 s left)", 12), "trial 1/5");
  EXPECT_EQ(shortened_line("trial", "", 3), "");
}

}  // namespace
}  // namespace loadline
