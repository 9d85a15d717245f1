#include "synthetic/compute/device_profiles.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace loadline {
namespace {

double rate_of(std::string_view name) {
  for (const DeviceProfile& profile : kDeviceProfiles) {
    if (profile.name == name) return profile.samples_per_second;
  }
  ADD_FAILURE() << "no profile " << name;
  return 0;
}

TEST(DeviceProfiles, HaveThePublishedRates) {
  EXPECT_EQ(kDeviceProfiles.size(), 10U);
  EXPECT_NEAR(rate_of("mlperf-resnet50-a100"), 919.54, 0.005);
  EXPECT_NEAR(rate_of("mlperf-resnet50-h100"), 1785.71, 0.005);
  EXPECT_NEAR(rate_of("mlperf-unet3d-a100"), 11.01, 0.005);
  EXPECT_NEAR(rate_of("mlperf-unet3d-h100"), 21.67, 0.005);
  EXPECT_NEAR(rate_of("mlperf-cosmoflow-a100"), 181.49, 0.005);
  EXPECT_NEAR(rate_of("mlperf-cosmoflow-h100"), 285.71, 0.005);
  EXPECT_EQ(rate_of("sc22-unet-a100"), 592.984);
  EXPECT_EQ(rate_of("sc22-unet-a100-fp16"), 893.160);
  EXPECT_EQ(rate_of("sc22-unet-v100"), 102.855);
  EXPECT_EQ(rate_of("sc22-unet-v100-fp16"), 294.373);
}

TEST(DeviceProfiles, HaveUniqueNamesAndASource) {
  std::set<std::string_view> names{"none"};
  for (const DeviceProfile& profile : kDeviceProfiles) {
    EXPECT_TRUE(names.insert(profile.name).second) << profile.name;
    EXPECT_FALSE(profile.source.empty()) << profile.name;
    EXPECT_GT(profile.batch_size, 0U) << profile.name;
  }
}

TEST(DeviceProfiles, AreWordsThatFollowNone) {
  ASSERT_EQ(kDeviceProfileWords.size(), kDeviceProfiles.size() + 1);
  EXPECT_EQ(kDeviceProfileWords[0], "none");
  EXPECT_EQ(kDeviceProfileWords[1], kDeviceProfiles[0].name);
  EXPECT_EQ(kDeviceProfileWords.back(), kDeviceProfiles.back().name);
}

}  // namespace
}  // namespace loadline
