#include "harness/measure/rig.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

class RigTest : public testing::Test {
 protected:
  RigTest() {
    cell_.classes = 10;
    cell_.transform.dtype = DType::kU8;
    cell_.kernels = "auto";
    cell_.sampler.batch_size = 4;
    cell_.compute = "drain";
    cell_.loader = "serial";
  }

  test::Thrown refusal() const {
    return test::thrown_by([&] { CellRig(cell_, *dataset_, std::nullopt); });
  }

  Cell cell_{.workload = "mnist", .mode = Mode::kIo, .data = "shards"};
  std::unique_ptr<Dataset> dataset_ = test::patterned_dataset(22);
};

TEST_F(RigTest, RefusesABatchLargerThanTheDataset) {
  cell_.sampler.batch_size = 23;
  EXPECT_EQ(refusal(),
            test::usage("--batch-size 23 is larger than the dataset of 22 samples; use --batch-size 22 or less"));
}

TEST_F(RigTest, RefusesLabelsThatTheWorkloadHasNoClassesFor) {
  cell_.classes = 6;
  EXPECT_EQ(refusal(), test::failed("cannot use shards for workload mnist: label 6 is out of range, want 0 to 5"));
}

TEST_F(RigTest, IsRecognisedAsACellRig) {
  const CellRig rig(cell_, *dataset_, std::nullopt);
  const Rig& any = rig;
  EXPECT_EQ(any.as_cell_rig(), &rig);
}

}  // namespace
}  // namespace loadline
