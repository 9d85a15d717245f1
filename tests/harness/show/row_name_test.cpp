#include "harness/show/row_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace loadline {
namespace {

Configuration flow_graph(std::size_t batch_size, std::string choices) {
  return {.workload = "mnist",
          .loader = "flow-graph",
          .workers = 2,
          .batch_size = batch_size,
          .choices = std::move(choices)};
}

Judgement rows_of(std::vector<Configuration> configurations) {
  Judgement judgement;
  judgement.configurations = std::move(configurations);
  return judgement;
}

std::string name_of_first(const Judgement& judgement) {
  std::vector<std::size_t> rows(judgement.configurations.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  return row_name(judgement, rows, 0);
}

TEST(RowName, IsTheLoaderWhereThatTellsTheRowFromTheOthers) {
  Configuration serial = flow_graph(32, "/delivery:in-order");
  serial.loader = "serial";
  serial.workers = 0;
  EXPECT_EQ(name_of_first(rows_of({flow_graph(64, "/delivery:completion"), serial})), "flow-graph x 2");
}

// Both rows used to be "flow-graph x 2".
TEST(RowName, HasOnlySettingsThatDiffer) {
  EXPECT_EQ(name_of_first(rows_of(
                {flow_graph(64, "/read:pread/delivery:completion"), flow_graph(64, "/read:pread/delivery:in-order")})),
            "flow-graph x 2, delivery:completion");
  EXPECT_EQ(name_of_first(rows_of({flow_graph(64, ""), flow_graph(32, "")})), "flow-graph x 2, batch 64");
  EXPECT_EQ(name_of_first(rows_of({flow_graph(64, "/read:mmap/stores:auto"), flow_graph(64, "/read:pread/stores:auto"),
                                   flow_graph(64, "/read:mmap/stores:cached")})),
            "flow-graph x 2, read:mmap, stores:auto");
}

TEST(RowName, KeepsTheSlashesOfSettings) {
  EXPECT_EQ(name_of_first(rows_of({flow_graph(64, "/data:./a/b/read:mmap"), flow_graph(64, "/data:./a/c/read:mmap")})),
            "flow-graph x 2, data:./a/b");
}

TEST(RowName, StopsOnceItIsUnique) {
  EXPECT_EQ(name_of_first(rows_of({flow_graph(64, "/read:pread"), flow_graph(32, "/read:mmap")})),
            "flow-graph x 2, batch 64");
}

TEST(RowName, ComparesWithRowsThatAreShownForTheSameTask) {
  Configuration other = flow_graph(32, "");
  other.task = "/cache:cold";
  const Judgement judgement = rows_of({flow_graph(64, ""), other, flow_graph(16, "")});
  EXPECT_EQ(row_name(judgement, std::vector<std::size_t>{0, 1}, 0), "flow-graph x 2");
  EXPECT_EQ(row_name(judgement, std::vector<std::size_t>{0, 1, 2}, 0), "flow-graph x 2, batch 64");
}

}  // namespace
}  // namespace loadline
