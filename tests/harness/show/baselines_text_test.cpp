#include "harness/show/baselines_text.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(BaselinesText, HasALinePerBaseline) {
  EXPECT_EQ(baselines_text({{.name = "main", .started = "2026-11-22T13:00:00Z", .host = "n1", .cells = 26, .former = 2},
                            {.name = "old", .error = "old.json: no JSON"}},
                           "/kept"),
            "  main           26 cells of 2026-11-22T13:00:00Z, on n1; 2 results before it\n"
            "  old            cannot be read: old.json: no JSON\n");
}

TEST(BaselinesText, SaysHowToKeepTheFirst) {
  EXPECT_EQ(baselines_text({}, "/kept"), "  none in /kept; --save-baseline keeps one\n");
}

}  // namespace
}  // namespace loadline
