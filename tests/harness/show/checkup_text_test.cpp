#include "harness/show/checkup_text.h"

#include <gtest/gtest.h>

#include <array>

namespace loadline {
namespace {

TEST(CheckupText, ListsDisturbancesFirst) {
  const std::array symptoms{Symptom{Health::kFine, "CPUs", "2 of 2 CPUs in force", ""},
                            Symptom{Health::kDisturbs, "swap", "1.0 MiB in use, and pages move", "free memory"},
                            Symptom{Health::kNote, "turbo", "on", ""}};
  EXPECT_EQ(checkup_text(symptoms),
            "disturbs  swap   1.0 MiB in use, and pages move; free memory\n"
            "note      turbo  on\n"
            "ok        CPUs   2 of 2 CPUs in force\n"
            "\n1 thing disturbs measurements here; 1 note.\n");
}

TEST(CheckupText, CountsWhatIsUnknownAheadOfNotes) {
  const std::array symptoms{Symptom{Health::kNote, "turbo", "on", ""},
                            Symptom{Health::kUnknown, "other work", "/proc/stat does not tell", ""}};
  EXPECT_EQ(checkup_text(symptoms),
            "unknown   other work  /proc/stat does not tell\n"
            "note      turbo       on\n"
            "\nNothing that could be seen disturbs measurements here; 1 unknown; 1 note.\n");
}

TEST(CheckupText, SaysWhereNothingDisturbs) {
  const std::array symptoms{Symptom{Health::kFine, "CPUs", "2 of 2 CPUs in force", ""}};
  EXPECT_EQ(checkup_text(symptoms), "ok        CPUs  2 of 2 CPUs in force\n\nNothing disturbs measurements here.\n");
}

}  // namespace
}  // namespace loadline
