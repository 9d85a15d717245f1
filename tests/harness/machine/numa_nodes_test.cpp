#include "harness/machine/numa_nodes.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/harness/machine/fake_system.h"

namespace loadline {
namespace {

constexpr const char* kNodes = "/sys/devices/system/node/";
constexpr const char* kCpuFolder = "/sys/devices/system/cpu/";

void write_node(FakeSystem& system, const std::string& number, const char* cpus, const char* distance) {
  system.write(kNodes + ("node" + number) + "/cpulist", cpus).write(kNodes + ("node" + number) + "/distance", distance);
}

void write_core(FakeSystem& system, const std::string& first, const std::string& second) {
  for (const std::string& cpu : {first, second}) {
    system.write(kCpuFolder + ("cpu" + cpu) + "/topology/thread_siblings_list", first + "," + second + "\n");
  }
}

TEST(NumaNodes, HaveCoresWithTheirHyperthreads) {
  FakeSystem system;
  system.write(kNodes + std::string("online"), "0-1\n").write(kNodes + std::string("has_memory"), "0-1\n");
  write_node(system, "0", "0-1,4-5\n", "10 21\n");
  write_node(system, "1", "2-3,6-7\n", "21 10\n");
  for (const std::size_t core : {0U, 1U, 2U, 3U}) write_core(system, std::to_string(core), std::to_string(core + 4));
  EXPECT_EQ(numa_nodes_from(system.files()),
            (std::vector<NumaNode>{{0, {{0, 4}, {1, 5}}, true, {10, 21}}, {1, {{2, 6}, {3, 7}}, true, {21, 10}}}));
}

TEST(NumaNodes, MayHaveMemoryWithoutCpusAndCpusWithoutMemory) {
  FakeSystem system;
  system.write(kNodes + std::string("online"), "0-1,8\n").write(kNodes + std::string("has_memory"), "0,8\n");
  write_node(system, "0", "0\n", "10 20 14\n");
  write_node(system, "1", "1\n", "20 10 24\n");
  write_node(system, "8", "\n", "14 24 10\n");  // CXL
  EXPECT_EQ(numa_nodes_from(system.files()),
            (std::vector<NumaNode>{
                {0, {{0}}, true, {10, 20, 14}}, {1, {{1}}, false, {20, 10, 24}}, {8, {}, true, {14, 24, 10}}}));
}

TEST(NumaNodes, HaveNoMemoryThatACpusetForbids) {
  FakeSystem system;
  system.write(kNodes + std::string("online"), "0-1\n").write(kNodes + std::string("has_memory"), "0-1\n");
  system.write("/proc/self/status", "Name:\tloadline\nMems_allowed:\t2\nMems_allowed_list:\t1\n");
  write_node(system, "0", "0\n", "10 21\n");
  write_node(system, "1", "1\n", "21 10\n");
  const auto nodes = numa_nodes_from(system.files());
  EXPECT_FALSE(nodes[0].memory);
  EXPECT_TRUE(nodes[1].memory);
}

TEST(NumaNodes, AreEmptyIfTheSystemReportsNone) {
  EXPECT_TRUE(numa_nodes_from(FakeSystem().files()).empty());
}

TEST(NumaNodes, KeepWhatIsKnownIfFilesAreMissing) {
  FakeSystem system;
  system.write(kNodes + std::string("online"), "0\n");
  write_node(system, "0", "0-1\n", "10 far\n");
  EXPECT_EQ(numa_nodes_from(system.files()), (std::vector<NumaNode>{{0, {{0}, {1}}, true, {}}}));
}

}  // namespace
}  // namespace loadline
