#include "harness/machine/run_id.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

constexpr std::chrono::system_clock::time_point kTime{std::chrono::seconds{1'795'255'080}};

TEST(RunId, WritesTimeAsIso8601InUtc) {
  EXPECT_EQ(utc_timestamp(kTime), "2026-11-21T09:58:00Z");
  EXPECT_EQ(utc_timestamp(std::chrono::system_clock::time_point{}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_timestamp(std::chrono::system_clock::time_point{std::chrono::seconds{1'709'251'199}}),
            "2024-02-29T23:59:59Z");
}

TEST(RunId, CutsFractionsOfASecondEvenBeforeTheEpoch) {
  EXPECT_EQ(utc_timestamp(kTime + std::chrono::milliseconds{999}), "2026-11-21T09:58:00Z");
  EXPECT_EQ(utc_timestamp(std::chrono::system_clock::time_point{std::chrono::milliseconds{-1}}),
            "1969-12-31T23:59:59Z");
}

TEST(RunId, ReadsBackItsOwnTimesOnly) {
  EXPECT_EQ(parse_utc_timestamp("2026-11-21T09:58:00Z"), kTime);
  EXPECT_EQ(parse_utc_timestamp("2024-02-29T23:59:59Z"),
            std::chrono::system_clock::time_point{std::chrono::seconds{1'709'251'199}});
  for (const char* text : {"", "yesterday", "2026-11-21T09:58:00", "2026-11-21T09:58:00Z.", "2026-11-21T09:58:60Z",
                           "2023-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21 09:58:00Z"}) {
    EXPECT_EQ(parse_utc_timestamp(text), std::nullopt) << text;
  }
}

TEST(RunId, IsTheTimeAndSixHexDigits) {
  EXPECT_EQ(make_run_id(kTime, 0x3fa2c1), "20261121T095800Z-3fa2c1");
}

TEST(RunId, TakesTheLow24BitsAndPadsThem) {
  EXPECT_EQ(make_run_id(kTime, 0xabcdef000000002a), "20261121T095800Z-00002a");
}

}  // namespace
}  // namespace loadline
