#include "harness/machine/usage.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>

namespace loadline {
namespace {

TEST(Usage, CountsBytesFromTheDeviceButNotFromTheCache) {
  EXPECT_EQ(parse_device_read_bytes("rchar: 6976\nwchar: 0\nsyscr: 10\nsyscw: 0\nread_bytes: 4096\nwrite_bytes: 8\n"),
            4096U);
  EXPECT_EQ(parse_device_read_bytes("rchar: 6976\nread_bytes: 0\n"), 0U);
}

TEST(Usage, DoesNotKnowBytesFromTheDeviceIfTheSystemForbidsIt) {
  EXPECT_EQ(parse_device_read_bytes(""), std::nullopt);
}

TEST(Usage, ReadsPeakAndCurrentMemory) {
  EXPECT_EQ(parse_peak_rss_bytes("Name:\tloadline\nVmPeak:\t  99999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t  1024 kB\n"),
            2'097'152U);
  EXPECT_EQ(parse_peak_rss_bytes("Name:\tloadline\n"), std::nullopt);
  EXPECT_EQ(parse_rss_bytes("2500 300 200 10 0 400 0\n", 4096), 1'228'800U);
  EXPECT_EQ(parse_rss_bytes("2500", 4096), std::nullopt);
  EXPECT_EQ(parse_rss_bytes("", 4096), std::nullopt);
}

TEST(Usage, SubtractsAmountsAndKeepsStates) {
  const Usage before{.user_cpu_seconds = 1.5,
                     .system_cpu_seconds = 0.25,
                     .minor_faults = 100,
                     .major_faults = 2,
                     .voluntary_switches = 30,
                     .involuntary_switches = 4,
                     .device_read_bytes = 4096,
                     .peak_rss_bytes = 5000,
                     .rss_bytes = 3000};
  const Usage after{.user_cpu_seconds = 4.0,
                    .system_cpu_seconds = 0.75,
                    .minor_faults = 150,
                    .major_faults = 2,
                    .voluntary_switches = 37,
                    .involuntary_switches = 5,
                    .device_read_bytes = 12288,
                    .peak_rss_bytes = 6000,
                    .rss_bytes = 2000};
  const Usage used = difference(after, before);
  EXPECT_EQ(used.user_cpu_seconds, 2.5);
  EXPECT_EQ(used.system_cpu_seconds, 0.5);
  EXPECT_EQ(used.minor_faults, 50U);
  EXPECT_EQ(used.major_faults, 0U);
  EXPECT_EQ(used.voluntary_switches, 7U);
  EXPECT_EQ(used.involuntary_switches, 1U);
  EXPECT_EQ(used.device_read_bytes, 8192U);
  EXPECT_EQ(used.peak_rss_bytes, 6000U);
  EXPECT_EQ(used.rss_bytes, 2000U);
}

TEST(Usage, DoesNotKnowADifferenceIfOneSideIsMissing) {
  Usage known;
  known.device_read_bytes = 4096;
  EXPECT_EQ(difference(known, Usage()).device_read_bytes, std::nullopt);
  EXPECT_EQ(difference(Usage(), known).device_read_bytes, std::nullopt);
}

TEST(Usage, ResetsThePeakIfTheSystemAllowsIt) {
  const std::uint64_t now = usage_now().rss_bytes.value_or(0);
  {
    // 64 MiB that return to the system at once, unlike memory that a sanitizer's allocator frees.
    constexpr std::size_t kMuch = std::size_t{64} << 20;
    void* const much = mmap(nullptr, kMuch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    ASSERT_NE(much, MAP_FAILED);
    munmap(much, kMuch);
  }
  const auto before = usage_now().peak_rss_bytes;
  EXPECT_GE(before.value_or(0), now + (std::uint64_t{60} << 20));
  if (!reset_peak_rss()) GTEST_SKIP() << "this system does not";
  EXPECT_LT(usage_now().peak_rss_bytes, before.value_or(0) - (std::uint64_t{32} << 20));
}

TEST(Usage, NeverDecreasesInThisProcess) {
  const Usage before = usage_now();
  EXPECT_GT(before.peak_rss_bytes, 0U);
  const Usage used = difference(usage_now(), before);
  EXPECT_GE(used.user_cpu_seconds, 0.0);
  EXPECT_GE(used.system_cpu_seconds, 0.0);
  EXPECT_GE(used.peak_rss_bytes, before.peak_rss_bytes);
}

}  // namespace
}  // namespace loadline
