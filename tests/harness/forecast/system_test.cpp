#include "harness/forecast/system.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/forecast/basis.h"
#include "loaders/error.h"

namespace loadline {
namespace {

template <typename Read>
std::string refusal_by(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string refusal_of_system(std::string_view text) {
  return refusal_by([&] { read_storage("--storage", text); });
}

std::string refusal_of_figures(const std::string& more) {
  return refusal_by([&] { basis_of_figures("--figures", "io=582,synthetic=103," + more); });
}

TEST(Figures, OfFullThatContradictTheOthersAreSaid) {
  const Basis contradicted = basis_of_figures("--figures", "io=100,synthetic=200,full=400");
  EXPECT_DOUBLE_EQ(contradicted.load_per_second.value, 400);
  EXPECT_DOUBLE_EQ(contradicted.step_per_second.value, 400);
  EXPECT_DOUBLE_EQ(contradicted.slower_load_per_second.value().value, 100);
  EXPECT_DOUBLE_EQ(contradicted.slower_step_per_second.value().value, 200);
  const Basis rounded = basis_of_figures("--figures", "io=500,synthetic=100,full=104");
  EXPECT_DOUBLE_EQ(rounded.step_per_second.value, 104);
  EXPECT_FALSE(rounded.slower_load_per_second);
  EXPECT_FALSE(rounded.slower_step_per_second) << "4 % more";
}

TEST(AssumedSystem, ReadsNumbersWithMagnitudes) {
  const SharedStorage storage = read_storage("--storage", "bytes_per_second=2.5T,iops=100k,latency=2e-3");
  EXPECT_EQ(storage.bytes_per_second, 2.5e12);
  EXPECT_EQ(storage.iops, 1e5);
  EXPECT_EQ(storage.latency, 2e-3);
  EXPECT_EQ(storage.client_bytes_per_second, 0);
  EXPECT_EQ(read_network("--network", "bytes_per_second=1Gi").bytes_per_second, 1073741824.0);
  EXPECT_FALSE(read_storage("--storage", "iops=1").latency.has_value());
}

TEST(AssumedSystem, RefusesWhatItCannotRead) {
  EXPECT_EQ(refusal_of_system("latency"),
            "--storage: want NAME=NUMBER, got 'latency'; names are bytes_per_second, client_bytes_per_second, iops, "
            "client_iops, latency");
  EXPECT_EQ(refusal_of_system("iops=0"), "--storage: iops: want a number above 0 and at most 1e+21, got '0'");
  EXPECT_EQ(refusal_of_system("iops=1X"), "--storage: iops: want a number above 0 and at most 1e+21, got '1X'");
  EXPECT_EQ(refusal_of_system("iops=1,iops=2"), "--storage: iops is given twice");
  EXPECT_EQ(refusal_of_system("iop=1"),
            "--storage 'iop': want one of bytes_per_second, client_bytes_per_second, iops, client_iops, latency (did "
            "you mean iops?)");
}

TEST(AssumedSystem, AcceptsFiguresOfOtherTools) {
  const Basis basis = basis_of_figures("--figures", "io=500,synthetic=100,full=95,batch=32,first_epoch=50");
  EXPECT_EQ(basis.batch_size, 32U);
  EXPECT_DOUBLE_EQ(basis.coupling(), 0.95);
  EXPECT_DOUBLE_EQ(basis.cold_seconds_per_sample.value(), 1 / 50.0 - 1 / 95.0);
  EXPECT_THROW(basis_of_figures("--figures", "io=500"), Error);
}

TEST(AssumedSystem, RefusesASampleLargerThanTheDataset) {
  EXPECT_EQ(refusal_of_figures("sample_bytes=9M,dataset_bytes=38"),
            "--figures: a sample of 9e+06 bytes is larger than the dataset of 38 bytes");
  EXPECT_EQ(refusal_of_figures("sample_bytes=9M,dataset_bytes=9M"), "");
  EXPECT_EQ(refusal_of_figures("sample_bytes=9M"), "");
}

TEST(AssumedSystem, RefusesCropsWithoutTheLengthOfAnEpoch) {
  EXPECT_EQ(refusal_of_figures("sample_bytes=9M,dataset_bytes=38G,crops=1"),
            "--figures: crops=1 needs epoch_samples=N, the samples that an epoch draws");
  EXPECT_EQ(refusal_of_figures("sample_bytes=9M,dataset_bytes=38G,crops=1,epoch_samples=65536"), "");
}

TEST(AssumedSystem, RefusesCountsThatNoTrainingHas) {
  EXPECT_EQ(refusal_of_figures("first_epoch=1e-300"),
            "--figures: first_epoch: want a number of at least 1e-09 and at most 1e+21, got '1e-300'");
  EXPECT_EQ(refusal_of_figures("batch=1e21"),
            "--figures: batch: want a whole number of at least 1 and at most 1e+09, got '1e21'");
  EXPECT_EQ(refusal_of_figures("batch=2.5"),
            "--figures: batch: want a whole number of at least 1 and at most 1e+09, got '2.5'");
  EXPECT_EQ(refusal_of_figures("requests=1e21"),
            "--figures: requests: want a number above 0 and at most 1e+12, got '1e21'");
  EXPECT_EQ(refusal_of_figures("epoch_samples=1e21"),
            "--figures: epoch_samples: want a number of at least 0 and at most 1e+15, got '1e21'");
  EXPECT_EQ(refusal_of_figures("trial_steps=1e21"),
            "--figures: trial_steps: want a number of at least 1 and at most 1e+15, got '1e21'");
}

}  // namespace
}  // namespace loadline
