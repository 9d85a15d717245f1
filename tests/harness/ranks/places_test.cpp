// CPUs of ranks that share hosts.
#include "harness/ranks/places.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

using Cpus = std::vector<std::size_t>;

TEST(DealCpus, DividesTheSharedCpusAmongTheRanksOfAHost) {
  const Cpus all{0, 1, 2, 3, 4};
  const auto dealt = deal_cpus({{.host = "a", .cpus = all}, {.host = "b", .cpus = all}, {.host = "a", .cpus = all}});
  EXPECT_EQ(dealt[0], (RankPlace{.host = "a", .cpus = {0, 1}, .dealt = true}));
  EXPECT_EQ(dealt[1], (RankPlace{.host = "b", .cpus = all, .dealt = false})) << "alone on its host";
  EXPECT_EQ(dealt[2], (RankPlace{.host = "a", .cpus = {2, 3, 4}, .dealt = true}));
}

TEST(DealCpus, KeepsTheCpusThatALauncherHasBound) {
  const std::vector<RankPlace> bound{{.host = "a", .cpus = {0, 1}}, {.host = "a", .cpus = {2, 3}}};
  EXPECT_EQ(deal_cpus(bound), bound);
}

TEST(DealCpus, GivesOneCpuInTurnIfThereAreMoreRanksThanCpus) {
  const auto dealt = deal_cpus(std::vector<RankPlace>(3, {.host = "a", .cpus = {4, 6}}));
  EXPECT_EQ(dealt[0].cpus, Cpus{4});
  EXPECT_EQ(dealt[1].cpus, Cpus{6});
  EXPECT_EQ(dealt[2].cpus, Cpus{4});
}

TEST(RanksBeside, CountsTheRanksOfTheHost) {
  const std::vector<RankPlace> places{{.host = "a"}, {.host = "b"}, {.host = "a"}};
  EXPECT_EQ(ranks_beside(places, 0), 2U);
  EXPECT_EQ(ranks_beside(places, 1), 1U);
}

TEST(PlacesText, SaysWhereRanksAreAndThatTheyShareCpus) {
  const RunRanks ranks{.places = {{.host = "a", .cpus = {0}, .dealt = true},
                                  {.host = "a", .cpus = {0}, .dealt = true},
                                  {.host = "b", .cpus = {0, 1}}}};
  EXPECT_EQ(places_text(ranks),
            "2 ranks on a: 0 on CPU 0, 1 on CPU 0 (dealt out: all were given the same); they share CPUs\n"
            "1 rank on b: 2 on CPUs 0-1\n");
}

}  // namespace
}  // namespace loadline
