#include "loaders/system/affinity.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using Cpus = std::vector<std::size_t>;

TEST(PinnedThread, KeepsTheThreadOnItsCpusAndReleasesItAgain) {
  const Cpus before = affinity_cpus();
  ASSERT_FALSE(before.empty());
  {
    const PinnedThread pinned(Cpus{before.back()});
    EXPECT_EQ(affinity_cpus(), Cpus{before.back()});
    Cpus of_a_new_thread;
    std::thread([&] { of_a_new_thread = affinity_cpus(); }).join();
    EXPECT_EQ(of_a_new_thread, Cpus{before.back()}) << "a thread begins where its maker may run";
  }
  EXPECT_EQ(affinity_cpus(), before);
}

TEST(PinnedThread, ChangesNothingWithoutCpus) {
  const Cpus before = affinity_cpus();
  const PinnedThread pinned(Cpus{});
  EXPECT_EQ(affinity_cpus(), before);
}

TEST(PinnedThread, RefusesCpusThatDoNotExist) {
  const auto thrown = test::thrown_by([] { const PinnedThread pinned(Cpus{60000}); });
  EXPECT_EQ(thrown, test::failed("cannot pin a thread to CPUs 60000: Invalid argument"));
}

}  // namespace
}  // namespace loadline
