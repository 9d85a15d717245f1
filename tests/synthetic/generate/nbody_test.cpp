#include "synthetic/generate/nbody.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "loaders/datasets/datasets.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/volume.h"
#include "loaders/error.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

class Nbody : public testing::Test {
 protected:
  const test::TemporaryDirectory home_;
  const std::filesystem::path path_ = home_ / "nbody.h5";
};

// Returns value [channel, x, y, z] of a field.
class Values {
 public:
  explicit Values(const std::filesystem::path& path)
      : dataset_(open_dataset(path, {})), reader_(dataset_->as_volume()->make_crop_reader(1)) {}

  float operator()(Field field, std::size_t channel, std::size_t x, std::size_t y, std::size_t z) {
    const VolumeView view = reader_->read(field, {x, y, z});
    return view.first[static_cast<std::ptrdiff_t>(channel) * view.channel_stride];
  }

 private:
  std::unique_ptr<Dataset> dataset_;
  std::unique_ptr<CropReader> reader_;
};

TEST_F(Nbody, IsAVolumeOfTwoFieldsThatCanBeMapped) {
  EXPECT_EQ(make_nbody(path_, {.size = 16}), Generated::kMade);
  const auto dataset = open_dataset(path_, {});
  EXPECT_EQ(dataset->info().volume, (VolumeShape{.edge = 16, .input_channels = 4, .target_channels = 5}));
  EXPECT_EQ(dataset->info().access, Access::kMapped);
  EXPECT_EQ(test::names_in(home_.path()), std::set<std::string>{"nbody.h5"}) << "and nothing else";
}

TEST_F(Nbody, IsTheSameOnEveryMachineForTheSameSeed) {
  make_nbody(path_, {.size = 16, .seed = 3});
  EXPECT_EQ(content_fingerprint(*open_dataset(path_, {})), 0xbeec03f4560b884fU);
  make_nbody(home_ / "other.h5", {.size = 16, .seed = 4});
  EXPECT_NE(content_fingerprint(*open_dataset(home_ / "other.h5", {})), content_fingerprint(*open_dataset(path_, {})));
}

TEST_F(Nbody, VariesSmoothlyEvenAcrossItsBorders) {
  make_nbody(path_, {.size = 32});
  Values values(path_);
  double near = 0;
  double far = 0;
  double across = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < 32; ++j) {
      const float here = values(Field::kInput, 1, 0, i, j);
      near += std::abs(here - values(Field::kInput, 1, 1, i, j));
      far += std::abs(here - values(Field::kInput, 1, 16, i, j));
      across += std::abs(here - values(Field::kInput, 1, 31, i, j));
    }
  }
  EXPECT_LT(near, far / 2);
  EXPECT_LT(across, far / 2);
}

TEST_F(Nbody, HasATargetThatFollowsFromItsInput) {
  make_nbody(path_, {.size = 16});
  Values values(path_);
  for (std::size_t z = 0; z < 16; ++z) {
    const float density = values(Field::kInput, 0, 3, 5, z);
    EXPECT_NEAR(values(Field::kTarget, 0, 3, 5, z), 0.16F * density, 0.05F);
    EXPECT_NEAR(values(Field::kTarget, 4, 3, 5, z), 0.9F * values(Field::kInput, 3, 3, 5, z), 0.05F);
  }
}

TEST_F(Nbody, IsLeftAloneIfItAlreadyExists) {
  make_nbody(path_, {.size = 8});
  EXPECT_EQ(make_nbody(path_, {.size = 8}), Generated::kAlreadyThere);
  const std::string before = test::bytes_of(path_);
  for (const NbodyOptions& other : {NbodyOptions{.size = 9}, NbodyOptions{.size = 8, .seed = 2}}) {
    EXPECT_EQ(test::thrown_by([&] { make_nbody(path_, other); }),
              test::failed("cannot make " + path_.string() +
                           ": something else is there; name another file or remove this one"));
  }
  EXPECT_EQ(test::bytes_of(path_), before);
  test::write(home_ / "text.h5", "no volume");
  EXPECT_NE(test::thrown_by([&] { make_nbody(home_ / "text.h5", {.size = 8}); }).message, "");
}

TEST_F(Nbody, IsFoundWhereAnotherProcessMadeItInTheMeantime) {
  const auto with_other = [&](const NbodyOptions& other) {
    bool made = false;
    return make_nbody(path_, {.size = 8}, [&](std::size_t, std::size_t) {
      if (!std::exchange(made, true)) make_nbody(path_, other);
    });
  };
  EXPECT_EQ(with_other({.size = 8}), Generated::kAlreadyThere);
  std::filesystem::remove(path_);
  EXPECT_EQ(test::thrown_by([&] { with_other({.size = 8, .seed = 2}); }),
            test::failed("cannot make " + path_.string() +
                         ": something else is there; name another file or remove this one"));
}

TEST_F(Nbody, CreatesMissingParents) {
  EXPECT_EQ(make_nbody(home_ / "a/b/new.h5", {.size = 8}), Generated::kMade);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(make_nbody(home_ / "c/d/new.h5", {.size = 8}, {}, stop.get_token()), Error);
  EXPECT_EQ(test::names_in(home_.path()), std::set<std::string>{"a"});
}

TEST_F(Nbody, IsMadeWhereALinkLeads) {
  std::filesystem::create_symlink("there.h5", path_);
  EXPECT_EQ(make_nbody(path_, {.size = 16}), Generated::kMade);
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_TRUE(std::filesystem::is_regular_file(home_ / "there.h5"));
}

TEST_F(Nbody, LeavesNothingBehindWhenInterrupted) {
  std::stop_source stop;
  const auto progress = [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 9U * 8);
    if (done == 20) stop.request_stop();
  };
  EXPECT_EQ(test::thrown_by([&] { make_nbody(path_, {.size = 8}, progress, stop.get_token()); }),
            test::failed("making " + path_.string() + " was interrupted; nothing was left behind"));
  EXPECT_TRUE(test::names_in(home_.path()).empty());
}

TEST_F(Nbody, RefusesASizeOutOfRange) {
  for (const std::size_t size : {7U, 16385U}) {
    EXPECT_EQ(test::thrown_by([&] { make_nbody(path_, {.size = size}); }),
              test::usage("--size " + std::to_string(size) + ": want from 8 to 16384 values along each side"));
  }
}

}  // namespace
}  // namespace loadline
