#include "harness/monitor/gpu_library.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "harness/monitor/series_log.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

std::string stand_in(const char* name) {
  return std::string(test::kGpus) + name;
}

// The values of the second of two samples, taken a second after the first.
std::map<std::string, double> seen(const GpuLibrary& library, double period_seconds = 1) {
  SeriesLog log(period_seconds, library.sources(period_seconds));
  log.sample([] { return 0.0; });
  log.sample([] { return 1.0; });
  std::map<std::string, double> values;
  for (const MonitorSeries& series : log.record().series) {
    values[series.of + " " + series.name + " [" + series.unit + "] " + series.source] = series.values.back();
  }
  return values;
}

TEST(Nvml, ReportsEveryAccessibleDevice) {
  const auto library = open_nvml(stand_in("libnvidia-ml.so.1").c_str());
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->devices(), 2U);
  const auto values = seen(*library);
  EXPECT_EQ(values.at("gpu0 gpu busy [share] NVML, Stand-in A"), 0.75);
  EXPECT_EQ(values.at("gpu0 gpu memory busy [share] NVML, Stand-in A"), 0.2);
  EXPECT_EQ(values.at("gpu0 gpu memory used [bytes] NVML, Stand-in A"), 3.221e9);
  EXPECT_EQ(values.at("gpu0 gpu power [W] NVML, Stand-in A"), 350.5);
  EXPECT_EQ(values.at("gpu0 gpu clock [Hz] NVML, Stand-in A"), 1.98e9);
  EXPECT_EQ(values.at("gpu0 gpu memory clock [Hz] NVML, Stand-in A"), 2.619e9);
  EXPECT_EQ(values.at("gpu0 gpu temperature [degrees C] NVML, Stand-in A"), 61);
  EXPECT_EQ(values.at("gpu0 gpu received [bytes/s] NVML, Stand-in A"), 2e6);
  EXPECT_EQ(values.at("gpu0 gpu sent [bytes/s] NVML, Stand-in A"), 0);
  EXPECT_EQ(values.at("gpu0 gpu held back by power [0 or 1] NVML, Stand-in A"), 1);
  EXPECT_EQ(values.at("gpu0 gpu held back by heat [0 or 1] NVML, Stand-in A"), 1);
  EXPECT_EQ(values.at("gpu0 gpu held back by hardware [0 or 1] NVML, Stand-in A"), 0);
  EXPECT_EQ(values.at("gpu1 gpu busy [share] NVML, Stand-in B"), 0);
  EXPECT_EQ(values.at("gpu1 gpu held back by power [0 or 1] NVML, Stand-in B"), 0);
  // This device has no such counters, so the library asked for the current rate.
  EXPECT_EQ(values.at("gpu1 gpu received [bytes/s] NVML, Stand-in B"), 7e6);
}

TEST(Nvml, SkipsQueriesOfTwentyMillisecondsIfThePeriodIsShort) {
  const auto library = open_nvml(stand_in("libnvidia-ml.so.1").c_str());
  ASSERT_NE(library, nullptr);
  const auto values = seen(*library, 0.1);
  EXPECT_TRUE(values.contains("gpu0 gpu received [bytes/s] NVML, Stand-in A"));
  EXPECT_FALSE(values.contains("gpu1 gpu received [bytes/s] NVML, Stand-in B"));
}

TEST(Nvml, ReportsTheEnergyOfDevicesThatCountIt) {
  const auto library = open_nvml(stand_in("libnvidia-ml.so.1").c_str());
  ASSERT_NE(library, nullptr);
  const auto before = library->joules(0);
  const auto after = library->joules(0);
  ASSERT_TRUE(before && after);
  EXPECT_NEAR(*after - *before, 42.5, 1e-9);
  EXPECT_EQ(library->joules(1), std::nullopt);
}

TEST(Nvml, ReportsWhatAnOldDriverHas) {
  const auto library = open_nvml(stand_in("libnvidia-ml-old.so.1").c_str());
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(seen(*library), (std::map<std::string, double>{{"gpu0 gpu held back by power [0 or 1] NVML", 0},
                                                           {"gpu0 gpu held back by heat [0 or 1] NVML", 0},
                                                           {"gpu0 gpu held back by hardware [0 or 1] NVML", 1}}));
  EXPECT_EQ(library->joules(0), std::nullopt);
}

TEST(Nvml, IsAbsentIfTheLibraryIsMissingOrForeign) {
  EXPECT_EQ(open_nvml("libloadline-there-is-none.so"), nullptr);
  EXPECT_EQ(open_nvml(stand_in("librocm_smi64.so").c_str()), nullptr);
}

TEST(RocmSmi, ReportsItsDevice) {
  const auto library = open_rocm_smi(stand_in("librocm_smi64.so").c_str());
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(seen(*library), (std::map<std::string, double>{{"gpu0 gpu busy [share] ROCm SMI", 0.4},
                                                           {"gpu0 gpu memory used [bytes] ROCm SMI", 5.369e9},
                                                           {"gpu0 gpu power [W] ROCm SMI", 250},
                                                           {"gpu0 gpu temperature [degrees C] ROCm SMI", 55}}));
  const auto before = library->joules(0);
  const auto after = library->joules(0);
  ASSERT_TRUE(before && after);
  EXPECT_NEAR(*after - *before, 31, 1e-6);
}

}  // namespace
}  // namespace loadline
