#include "harness/monitor/sources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <map>

#include "harness/monitor/series_log.h"
#include "tests/harness/machine/fake_system.h"

namespace loadline {
namespace {

// The values of a sample that is taken one second after another, with `change` made in between.
template <typename Change>
std::map<std::string, double> seen(std::vector<MonitorSource> sources, Change change) {
  SeriesLog log(1, std::move(sources));
  log.sample([] { return 0.0; });
  change();
  log.sample([] { return 1.0; });
  std::map<std::string, double> values;
  for (const MonitorSeries& series : log.record().series) {
    values[series.name + " of " + series.of + " [" + series.unit + "]"] = series.values.back();
  }
  return values;
}

double ticks() {
  return static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double page() {
  return static_cast<double>(::sysconf(_SC_PAGESIZE));
}

TEST(MonitorSources, ReadNumbersAndSkipWords) {
  std::array<double, 4> words{};
  EXPECT_EQ(numbers_of("cpu0  12 \t x7 3 4 5\n", words), 4U);
  EXPECT_TRUE(std::isnan(words[0]));
  EXPECT_EQ(words[1], 12);
  EXPECT_TRUE(std::isnan(words[2]));
  EXPECT_EQ(words[3], 3);
  EXPECT_EQ(numbers_of("", words), 0U);
}

TEST(MonitorSources, ReportTheTimeOfEachCpuByKindAndOfAllTogether) {
  FakeSystem system;
  const auto stat = [](const char* all, const char* first, const char* second) {
    return std::string("cpu  ") + all + " 0 0\ncpu0 " + first + " 0 0\ncpu1 " + second + " 0 0\nintr 5 6\n";
  };
  system.write("/proc/stat", stat("0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0"));
  const auto hundredths = [](double share) { return std::to_string(std::llround(share * ticks())); };
  const std::string busy = hundredths(0.25) + " " + hundredths(0.25) + " " + hundredths(0.1) + " 0 " + hundredths(0.2) +
                           " " + hundredths(0.05) + " " + hundredths(0.05) + " " + hundredths(0.1);
  const auto values = seen(cpu_sources(system.files(), {.cpus = {0}, .data = {}}),
                           [&] { system.write("/proc/stat", stat(busy.c_str(), busy.c_str(), "0 0 0 9 0 0 0 0")); });
  EXPECT_EQ(values.size(), 8U);
  EXPECT_NEAR(values.at("cpu user of cpu0 [share]"), 0.5, 1e-9);
  EXPECT_NEAR(values.at("cpu system of cpu0 [share]"), 0.2, 1e-9);
  EXPECT_NEAR(values.at("cpu iowait of cpu0 [share]"), 0.2, 1e-9);
  EXPECT_NEAR(values.at("cpu steal of cpu0 [share]"), 0.1, 1e-9);
  EXPECT_NEAR(values.at("cpu user of all CPUs [share]"), 0.25, 1e-9);
}

TEST(MonitorSources, ReportTheFrequenciesThatTheSystemReports) {
  FakeSystem system;
  system.write("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2400000\n");
  const auto values = seen(cpu_sources(system.files(), {.cpus = {0, 1}, .data = {}}), [] {});
  EXPECT_EQ(values, (std::map<std::string, double>{{"cpu frequency of cpu1 [Hz]", 2.4e9}}));
}

TEST(MonitorSources, ReportMemoryAndWhatIsReclaimedAndSwapped) {
  FakeSystem system;
  system.write(
      "/proc/meminfo",
      "MemTotal:  100 kB\nMemFree:  10 kB\nMemAvailable: 40 kB\nCached: 30 kB\nDirty: 2 kB\nWriteback: 0 kB\n");
  system.write("/proc/vmstat", "pswpin 1\npswpout 1\npgsteal_kswapd 10\npgsteal_direct 0\nworkingset_refault_file 4\n");
  const auto values = seen(memory_sources(system.files()), [&] {
    system.write("/proc/vmstat",
                 "pswpin 1\npswpout 3\npgsteal_kswapd 15\npgsteal_direct 5\nworkingset_refault_file 5\n");
  });
  EXPECT_EQ(values.at("page cache of memory [bytes]"), 30720);
  EXPECT_EQ(values.at("memory available of memory [bytes]"), 40960);
  EXPECT_EQ(values.at("dirty of memory [bytes]"), 2048);
  EXPECT_EQ(values.at("swapped in of memory [bytes/s]"), 0);
  EXPECT_EQ(values.at("swapped out of memory [bytes/s]"), 2 * page());
  EXPECT_EQ(values.at("reclaimed of memory [bytes/s]"), 10 * page());
  EXPECT_EQ(values.at("read again after reclaim of memory [bytes/s]"), page());
  EXPECT_FALSE(values.contains("swap free of memory [bytes]"));
}

TEST(MonitorSources, ReportPressureAsAShareOfTime) {
  FakeSystem system;
  system.write("/proc/pressure/io", "some avg10=0.00 total=1000000\nfull avg10=0.00 total=500000\n");
  const auto values = seen(pressure_sources(system.files()), [&] {
    system.write("/proc/pressure/io", "some avg10=9.00 total=1250000\nfull avg10=0.00 total=600000\n");
  });
  EXPECT_EQ(values, (std::map<std::string, double>{{"pressure io some of system [share]", 0.25},
                                                   {"pressure io full of system [share]", 0.1}}));
}

TEST(MonitorSources, ReportWhatACgroupHoldsBackInBothVersions) {
  FakeSystem system;
  system.write("/proc/self/cgroup", "4:cpu:/job\n0::/user\n")
      .write("/proc/self/mountinfo",
             "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n31 20 0:27 / /old rw - cgroup cgroup rw,cpu\n")
      .write("/sys/fs/cgroup/user/cpu.stat", "usage_usec 1\nthrottled_usec 100000\n")
      .write("/sys/fs/cgroup/user/memory.current", "4096\n")
      .write("/sys/fs/cgroup/user/memory.pressure", "some avg10=0 total=0\nfull avg10=0 total=0\n")
      .write("/old/job/cpu.stat", "nr_throttled 3\nthrottled_time 5\n");
  const auto values = seen(cgroup_sources(system.files()), [&] {
    system.write("/sys/fs/cgroup/user/cpu.stat", "usage_usec 9\nthrottled_usec 350000\n")
        .write("/old/job/cpu.stat", "nr_throttled 3\nthrottled_time 500000005\n")
        .write("/sys/fs/cgroup/user/memory.pressure", "some avg10=0 total=30000\nfull avg10=0 total=0\n");
  });
  EXPECT_EQ(values.at("throttled of cgroup /sys/fs/cgroup/user [s/s]"), 0.25);
  EXPECT_EQ(values.at("throttled of cgroup /old/job [s/s]"), 0.5);
  EXPECT_EQ(values.at("memory of the group of cgroup /sys/fs/cgroup/user [bytes]"), 4096);
  EXPECT_EQ(values.at("pressure memory some of cgroup /sys/fs/cgroup/user [share]"), 0.03);
}

constexpr const char* kMounts =
    "25 1 8:0 / / rw - ext4 /dev/sda rw\n"
    "26 25 8:17 / /data rw - xfs /dev/sdb1 rw\n"
    "27 25 0:44 / /pool rw - btrfs /dev/sdc rw\n"
    "28 25 0:50 / /nfs rw - nfs4 server:/export rw\n";

TEST(MonitorSources, ReportTheDeviceOfTheData) {
  FakeSystem system;
  const auto disks = [](const char* sdb1, const char* sdc) {
    return std::string("   8       0 sda 9 9 9 9 9 9 9 9 0 9 9\n   8      17 sdb1 ") + sdb1 + "\n   8      32 sdc " +
           sdc + "\n";
  };
  system.write("/proc/self/mountinfo", kMounts)
      .write("/proc/diskstats", disks("10 0 1000 20 5 0 80 10 0 30 30 0 0 0 0", "0 0 0 0 0 0 0 0 2 0 0"));
  const MonitorTargets targets{.cpus = {},
                               .data = {{"/data/set", {8, 17}}, {"/pool/set", {0, 44}}, {"/data", {8, 17}}}};
  const auto values = seen(storage_sources(system.files(), targets), [&] {
    system.write("/proc/diskstats", disks("60 0 5000 120 5 0 80 10 3 530 130 0 0 0 0", "0 0 0 0 0 0 0 0 2 0 0"));
  });
  EXPECT_EQ(values.at("device read of sdb1 [bytes/s]"), 2'048'000);
  EXPECT_EQ(values.at("device reads of sdb1 [1/s]"), 50);
  EXPECT_EQ(values.at("device read latency of sdb1 [s]"), 0.002);
  EXPECT_EQ(values.at("device written of sdb1 [bytes/s]"), 0);
  EXPECT_TRUE(std::isnan(values.at("device write latency of sdb1 [s]")));
  EXPECT_EQ(values.at("device requests in flight of sdb1 []"), 3);
  EXPECT_EQ(values.at("device busy of sdb1 [share]"), 0.5);
  EXPECT_EQ(values.at("device requests in flight of sdc []"), 2);
  EXPECT_FALSE(values.contains("device read of sda [bytes/s]"));
}

TEST(MonitorSources, ReportWhatThisProcessReadsAndWrites) {
  FakeSystem system;
  system.write("/proc/self/io", "rchar: 9\nread_bytes: 0\nwrite_bytes: 0\n");
  const auto values = seen(storage_sources(system.files(), {}),
                           [&] { system.write("/proc/self/io", "rchar: 9999\nread_bytes: 4096\nwrite_bytes: 512\n"); });
  EXPECT_EQ(values.at("read from storage of this process [bytes/s]"), 4096);
  EXPECT_EQ(values.at("written to storage of this process [bytes/s]"), 512);
}

TEST(MonitorSources, ReportTheNfsCountersOfTheMountOfTheData) {
  FakeSystem system;
  const auto stats = [](const char* bytes, const char* read) {
    return std::string("device rootfs mounted on / with fstype rootfs\n") +
           "device other:/x mounted on /nfs2 with fstype nfs4 statvers=1.1\n\tbytes:\t9 9 9 9 9 9 9 9\n" +
           "device server:/export mounted on /nfs with fstype nfs4 statvers=1.1\n\tage:\t7\n\tbytes:\t" + bytes +
           "\n\tper-op statistics\n\t        NULL: 1 1 0 44 24 0 0 0 0\n\t        READ: " + read +
           "\n\t       WRITE: 0 0 0 0 0 0 0 0 0\n";
  };
  system.write("/proc/self/mountinfo", kMounts)
      .write("/proc/self/mountstats", stats("1 2 3 4 1000 0 7 8", "10 10 0 100 900 5 20 30 0"));
  const auto values = seen(storage_sources(system.files(), {.cpus = {}, .data = {{"/nfs/set", {0, 50}}}}), [&] {
    system.write("/proc/self/mountstats", stats("1 2 3 4 9000 0 7 8", "14 14 0 100 900 5 20 38 0"));
  });
  EXPECT_EQ(values.at("file system read of /nfs [bytes/s]"), 8000);
  EXPECT_EQ(values.at("file system reads of /nfs [1/s]"), 4);
  EXPECT_EQ(values.at("file system read latency of /nfs [s]"), 0.002);
}

TEST(MonitorSources, ReportTheCountersOfALustreClientWhereverItsVersionPutsThem) {
  for (const char* const place : {"/proc/fs/lustre/llite", "/sys/kernel/debug/lustre/llite"}) {
    FakeSystem system;
    const std::string file = std::string(place) + "/scratch-ffff8/stats";
    system.write(file, "snapshot_time 1.5 secs.nsecs\n");
    const auto values = seen(lustre_sources(system.files()), [&] {
      system.write(file,
                   "snapshot_time 2.5 secs.nsecs\n"
                   "read_bytes                4 samples [bytes] 4000 4000 16000 64000000\n"
                   "open                      1 samples [usec] 5 5 5 25\n");
    });
    EXPECT_EQ(values.at("lustre read of scratch-ffff8 [bytes/s]"), 16000) << place;
    EXPECT_EQ(values.at("lustre reads of scratch-ffff8 [1/s]"), 4) << place;
    EXPECT_EQ(values.at("lustre written of scratch-ffff8 [bytes/s]"), 0) << place;
    EXPECT_FALSE(values.contains("lustre read latency of scratch-ffff8 [s]"));
  }
}

TEST(MonitorSources, ReportTheLatencyOfALustreClientThatMeasuresIt) {
  FakeSystem system;
  const std::string file = "/proc/fs/lustre/llite/a-1/stats";
  system.write(file, "read_bytes 1 samples [bytes] 1 1 1 1\nread 1 samples [usec] 10 10 10 100\n");
  const auto values = seen(lustre_sources(system.files()), [&] {
    system.write(file, "read_bytes 3 samples [bytes] 1 1 3 3\nread 3 samples [usec] 10 30 50 1000\n");
  });
  EXPECT_NEAR(values.at("lustre read latency of a-1 [s]"), 20e-6, 1e-9);
}

TEST(MonitorSources, ReportTheBytesOfRealInterfacesAndOfAdapters) {
  FakeSystem system;
  system.write("/sys/class/net/eth0/statistics/rx_bytes", "100\n")
      .write("/sys/class/net/eth0/statistics/tx_bytes", "5\n")
      .write("/sys/class/net/eth0/device/vendor", "x")
      .write("/sys/class/net/veth7/statistics/rx_bytes", "1\n")
      .write("/sys/class/net/lo/statistics/rx_bytes", "1\n")
      .write("/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "1000\n")
      .write("/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "0\n");
  const auto values = seen(network_sources(system.files()), [&] {
    system.write("/sys/class/net/eth0/statistics/rx_bytes", "1100\n")
        .write("/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "1500\n");
  });
  EXPECT_EQ(values, (std::map<std::string, double>{{"network received of eth0 [bytes/s]", 1000},
                                                   {"network sent of eth0 [bytes/s]", 0},
                                                   {"infiniband received of mlx5_0 port 1 [bytes/s]", 2000},
                                                   {"infiniband sent of mlx5_0 port 1 [bytes/s]", 0}}));
}

TEST(MonitorSources, AreAbsentIfTheSystemReportsNothing) {
  const FakeSystem system;
  EXPECT_TRUE(seen(kernel_sources(system.files(), {.cpus = {0}, .data = {{"/data", {8, 1}}}}), [] {}).empty());
}

}  // namespace
}  // namespace loadline
