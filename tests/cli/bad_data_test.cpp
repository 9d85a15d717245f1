// Bad data: the tool prints one sentence that names what is wrong and where, exits with 1 and writes no result file.
#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <fstream>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"
#include "loaders/names.h"
#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

constexpr const char* kImages = "train-images-idx3-ubyte";
constexpr const char* kLabels = "train-labels-idx1-ubyte";
constexpr const char* kBatch = "data_batch_1.bin";

class BadData : public CommandLine {
 protected:
  std::filesystem::path data() const { return home_ / "data"; }
  std::string path(std::string_view file) const { return (data() / file).string(); }

  void images(const std::string& bytes) const {
    write(data() / kImages, bytes);
    write(data() / kLabels, idx_labels({0, 1, 2}));
  }
  void cifar(const std::string& bytes) const { write(data() / kBatch, bytes); }

  Outcome measure(const std::string& workload = "mnist") const {
    return run(
        Words{"run", "--workload", workload, "--data", data().string(), "--batch-size", "2", "-o", "result.json"} +
        kShort);
  }

  void expect_refused_everywhere(const std::string& sentence, const std::string& workload = "mnist") const {
    expect_refusal(measure(workload), 1, sentence);
    expect_refusal(run({"data", "verify", data().string()}), 1, sentence);
    expect_refusal(run({"data", "info", data().string()}), 1, sentence);
    EXPECT_EQ(files(), (std::set<std::string>{"data"}));
  }
};

TEST_F(BadData, TruncatedIdxIsRefusedWithBothSizes) {
  images(TruncatedIdx().bytes);
  expect_refused_everywhere(
      fmt::format("cannot open {}: its header announces 3 x 2 x 2 = 12 bytes, it holds 11", path(kImages)));
}

TEST_F(BadData, OversizedIdxIsRefusedWithBothSizes) {
  images(OversizedIdx().bytes);
  expect_refused_everywhere(
      fmt::format("cannot open {}: its header announces 3 x 2 x 2 = 12 bytes, it holds 13", path(kImages)));
}

TEST_F(BadData, IdxThatClaimsMoreThanMemoryIsRefusedWithoutAllocating) {
  images(HugeIdx().bytes);
  expect_refused_everywhere(
      fmt::format("cannot open {}: its header announces 4294967295 x 256 x 256 = 281474976645120 bytes, it holds 8",
                  path(kImages)));
}

TEST_F(BadData, IdxWithAWrongMagicNumberIsRefused) {
  images(WrongMagicIdx().bytes);
  expect_refused_everywhere(
      fmt::format("cannot open {}: not an IDX file (it starts with 0x1f 0x00, want 0x00 0x00)", path(kImages)));
}

TEST_F(BadData, IdxWithoutSamplesIsRefused) {
  write(data() / kImages, EmptyIdx().bytes);
  write(data() / kLabels, idx_labels({}));
  expect_refused_everywhere(fmt::format("cannot open {}: it holds no samples (a dimension is 0)", path(kImages)));
}

TEST_F(BadData, ImagesAndLabelsThatDisagreeInCountAreRefused) {
  write(data() / kImages, idx_images(3, 2, 2));
  write(data() / kLabels, idx_labels({0, 1}));
  expect_refused_everywhere(
      fmt::format("cannot open {}: 3 images in {} but 2 labels in {}", data().string(), kImages, kLabels));
}

TEST_F(BadData, ImagesWithoutLabelsAreRefused) {
  write(data() / kImages, idx_images(3, 2, 2));
  expect_refused_everywhere(fmt::format("cannot open {}: its labels are missing, want {}", path(kImages), kLabels));
}

TEST_F(BadData, LabelOutsideTheWorkloadsRangeIsRefused) {
  write(data() / kImages, idx_images(3, 2, 2));
  write(data() / kLabels, idx_labels({0, 12, 2}));
  expect_refusal(
      measure(), 1,
      fmt::format("cannot use {} for workload mnist: label 12 is out of range, want 0 to 9", data().string()));
}

TEST_F(BadData, TruncatedCifarIsRefusedWithTheLeftoverBytes) {
  cifar(TruncatedCifar().bytes);
  expect_refused_everywhere(fmt::format("cannot open {}: 9218 bytes are not a whole number of cifar10 records of 3073 "
                                        "bytes (3072 bytes over)",
                                        path(kBatch)),
                            "cifar10");
}

TEST_F(BadData, OversizedCifarIsRefusedWithTheLeftoverBytes) {
  cifar(OversizedCifar().bytes);
  expect_refused_everywhere(
      fmt::format("cannot open {}: 9221 bytes are not a whole number of cifar10 records of 3073 bytes (2 bytes over)",
                  path(kBatch)),
      "cifar10");
}

TEST_F(BadData, EmptyCifarFileIsRefused) {
  cifar("");
  expect_refused_everywhere(fmt::format("cannot open {}: it holds no samples", path(kBatch)), "cifar10");
}

TEST_F(BadData, CifarLabelOutOfRangeIsRefusedWithItsSample) {
  cifar(cifar10({1, 10, 3}));
  expect_refused_everywhere(
      fmt::format("cannot open {}: label 10 of sample 1 is out of range, want 0 to 9", path(kBatch)), "cifar10");
}

TEST_F(BadData, EmptyDirectoryIsRefused) {
  std::filesystem::create_directory(data());
  expect_refused_everywhere(fmt::format("cannot open {}: the directory is empty", data().string()));
}

TEST_F(BadData, DirectoryWithoutADatasetIsRefused) {
  write(data() / "notes.md", "no pictures");
  expect_refused_everywhere(fmt::format("cannot open {}: no known dataset in it; name its format ({})", data().string(),
                                        list_of(names_of(dataset_formats()))));
}

TEST_F(BadData, MissingPathIsRefused) {
  const std::string sentence = fmt::format("cannot open {}: no such file or directory", data().string());
  expect_refusal(measure(), 1, sentence);
  expect_refusal(run({"data", "verify", data().string()}), 1, sentence);
  EXPECT_EQ(files(), std::set<std::string>());
}

TEST_F(BadData, MissingDataOfAWorkloadNamesTheCommandThatMakesIt) {
  const std::string place = (home_ / "made" / "cifar10").string();
  expect_refusal(run({"run", "--workload", "cifar10"}), 1,
                 fmt::format("cannot open {0}: workload cifar10 has no data there; get it with `loadline data make "
                             "cifar10 {0}`, or give its path with --data",
                             place));
  EXPECT_EQ(files(), std::set<std::string>());
  ASSERT_EQ(run({"data", "make", "cifar10", place, "--samples", "10"}).exit_code, 0);
  const Outcome outcome =
      run(Words{"run", "--workload", "cifar10", "--batch-size", "10", "-o", "result.json"} + kShort);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(BadData, BatchLargerThanTheDatasetIsRefused) {
  expect_refusal(run(short_run(mnist()) + Words{"--batch-size", "65"}), 2,
                 "--batch-size 65 is larger than the dataset of 64 samples; use --batch-size 64 or less");
  EXPECT_EQ(files(), (std::set<std::string>{"mnist"}));
}

TEST_F(BadData, ImagesOfAnotherWorkloadAreRefusedByName) {
  cifar(cifar10({1, 2, 3}));
  expect_refusal(
      measure(), 2,
      fmt::format("cannot use {} for workload mnist: its format is cifar10; use --workload cifar10", data().string()));
}

TEST_F(BadData, FileTruncatedWhileMappedFailsItsCellsAndKeepsTheirTrials) {
  write(data() / kImages, idx_images(4096, 28, 28));
  write(data() / kLabels, idx_header({4096}) + std::string(4096, '\3'));
  Tool tool(long_run(data().string()) +
                Words{"--mode", "io", "--loader", "serial", "--batch-size", "256", "--ceilings", "off"},
            world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/100000 mnist/IO/serial/batch:256: "));
  std::filesystem::resize_file(data() / kImages, 8192);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(refusals(outcome).size(), 1U) << outcome.err;
  // A batch reports the first, the check of the mapping after a trial the second, the watch between trials the third.
  EXPECT_THAT(refusals(outcome)[0],
              testing::MatchesRegex(
                  fmt::format("mnist/IO/serial/batch:256: cannot (read|measure) {}: (the page at byte [0-9]+ is "
                              "gone \\(the file was truncated while in use, or its storage failed\\)|"
                              "it was truncated from 3211280 to 8192 bytes while in use|"
                              "it was cut from 3211280 to 8192 bytes while it was measured)",
                              path(kImages))));
  const auto json = result();
  EXPECT_TRUE(json["cells"][0]["error"].is_string());
  EXPECT_GE(json["cells"][0]["trials"].size(), 1U);
}

TEST_F(BadData, FailureOfManyCellsIsReportedOnce) {
  ASSERT_EQ(run({"data", "make", "mnist", "data", "--samples", "256", "-q"}).exit_code, 0);
  ASSERT_EQ(run({"data", "convert", "data", "packed.h5", "--chunk", "256", "--gzip", "1", "-q"}).exit_code, 0);
  std::string bytes = bytes_of(home_ / "packed.h5");
  bytes.replace(bytes.size() / 3, 1000, 1000, '\xff');  // in the only chunk
  write(home_ / "packed.h5", bytes);
  // With --cache as-is: otherwise the tool would read, and refuse, the data before it measures any cell.
  const Outcome outcome = run(short_run("packed.h5") + Words{"--loader", "hdf5-chunk", "--workers", "1,2", "--mode",
                                                             "io,full", "--cache", "as-is"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(refusals(outcome), Words{"mnist/IO/hdf5-chunk/workers:1/batch:8 and 3 other cells: cannot read packed.h5: "
                                     "the chunk at sample 0 is corrupt"});
  const auto first = outcome.err.find("is corrupt");
  EXPECT_EQ(outcome.err.find("is corrupt", first + 1), std::string::npos) << outcome.err;
}

TEST_F(BadData, TruncatedHdf5IsRefusedWithBothSizes) {
  ASSERT_EQ(run({"data", "make", "mnist", "made", "--samples", "64", "-q"}).exit_code, 0);
  ASSERT_EQ(run({"data", "convert", "made", "images.h5", "-q"}).exit_code, 0);
  const auto bytes = std::filesystem::file_size(home_ / "images.h5");
  std::filesystem::resize_file(home_ / "images.h5", 8192);
  expect_refusal(run({"data", "verify", "images.h5"}), 1,
                 fmt::format("cannot open images.h5: truncated file, 8192 bytes of {}", bytes));
}

TEST_F(BadData, AFullDiskIsReportedInOneSentenceWithoutAddresses) {
  ASSERT_EQ(run({"data", "make", "mnist", "made", "--samples", "500", "-q"}).exit_code, 0);
  world_.most_file_bytes = 100'000;
  const Outcome outcome = run({"data", "convert", "made", "full.h5", "-q"});
  EXPECT_EQ(outcome.signal, 0) << "the library crashes at exit where a file could not be closed";
  expect_refusal(outcome, 1, "cannot write full.h5: file write failed: File too large");
}

// Data that changes under a run

class ChangingData : public CommandLine {
 protected:
  // Changes something between trials. Expects the run to fail with this sentence, after the name of a cell, and to keep
  // the earlier trials.
  template <typename Change>
  void expect_noticed(const Words& words, const Change& change, const std::string& sentence) const {
    SCOPED_TRACE(testing::PrintToString(words));
    Tool tool(Words{"run", "--batch-size", "8", "--mode", "io", "-o", "result.json", "--overwrite"} + kShort + words +
                  Words{"--trials", "100000"},
              world_);
    ASSERT_TRUE(tool.wait_until_err_says("trial 2/100000 "));  // each cell has one by then
    change();
    const Outcome outcome = tool.finish();
    EXPECT_EQ(outcome.exit_code, 1);
    ASSERT_EQ(refusals(outcome).size(), 1U) << outcome.err;
    EXPECT_THAT(refusals(outcome)[0], testing::EndsWith(sentence));
    const auto json = result();
    EXPECT_EQ(json["status"], "complete");
    std::size_t trials = 0;
    for (const auto& cell : json["cells"]) {
      EXPECT_EQ(cell["error"].is_string(), cell["mode"] != "OVERHEAD") << cell["name"];
      if (cell["mode"] != "OVERHEAD") trials += cell["trials"].size();
    }
    EXPECT_GE(trials, 1U);
  }
};

TEST_F(ChangingData, IsNoticedInEveryFormatByEveryLoader) {
  const std::string data = mnist();
  const std::string images = data + "/train-images-idx3-ubyte";
  const std::string written = ": it was written to while it was measured";
  // Not cut before, which the run would notice in between.
  const auto overwrite = [](const std::string& path, const std::string& bytes) {
    return [path, bytes] { std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << bytes; };
  };
  const auto touch = [](const std::string& path) {
    return [path] {
      std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) - std::chrono::hours(1));
    };
  };
  const Words of_mnist{"--workload", "mnist", "--data", data};
  for (const char* loader : {"serial", "thread-pool", "flow-graph"}) {
    expect_noticed(of_mnist + Words{"--loader", loader}, touch(images),
                   fmt::format("cannot measure {}{}", images, written));
    expect_noticed(of_mnist + Words{"--loader", loader, "--cache", "cold"}, overwrite(images, idx_images(64, 4, 4)),
                   written);
  }
  ASSERT_EQ(run({"data", "convert", data, data + ".h5", "-q"}).exit_code, 0);
  ASSERT_EQ(run({"data", "convert", data, data + "-chunks.h5", "--chunk", "8", "-q"}).exit_code, 0);
  for (const char* loader : {"hdf5-mmap", "hdf5", "hdf5-block"}) {
    expect_noticed(of_mnist + Words{"--loader", loader}, touch(data + ".h5"),
                   fmt::format("cannot measure {}.h5{}", data, written));
  }
  expect_noticed(of_mnist + Words{"--loader", "hdf5-chunk"}, touch(data + "-chunks.h5"),
                 fmt::format("cannot measure {}-chunks.h5{}", data, written));
  ASSERT_EQ(run({"data", "make", "nbody", "nbody.h5", "--size", "16", "-q"}).exit_code, 0);
  expect_noticed({"--workload", "nbody", "--data", "nbody.h5", "--crop-edge", "8", "--crops", "16"},
                 touch((home_ / "nbody.h5").string()), "cannot measure nbody.h5" + written);
}

TEST_F(ChangingData, IsNoticedWhereTheLibraryWouldReadZeros) {
  const std::string data = mnist();
  ASSERT_EQ(run({"data", "convert", data, data + ".h5", "-q"}).exit_code, 0);
  const auto bytes = std::filesystem::file_size(data + ".h5");
  expect_noticed(
      {"--workload", "mnist", "--data", data, "--loader", "hdf5"},
      [&] { std::filesystem::resize_file(data + ".h5", bytes - 512); },
      fmt::format("cannot measure {}.h5: it was cut from {} to {} bytes while it was measured", data, bytes,
                  bytes - 512));
}

TEST_F(ChangingData, IsNoticedInAFolderOfImages) {
  for (int i = 0; i < 16; ++i) {
    write(home_ / "photos" / "class" / fmt::format("{:02}.ppm", i), "P6\n4 4\n255\n" + std::string(48, 'x'));
  }
  const Words photos{"--workload", "photos", "--data", "photos", "--image-size", "8", "--loader", "serial"};
  expect_noticed(
      photos, [&] { std::filesystem::last_write_time(home_ / "photos/class/07.ppm", {}); },
      "cannot measure photos/class/07.ppm: it was written to while it was measured");
  expect_noticed(
      photos + Words{"--in-memory"}, [&] { std::filesystem::remove(home_ / "photos/class/08.ppm"); },
      "cannot measure photos/class/08.ppm: it was removed while it was measured");
}

TEST_F(ChangingData, EndsCeilingsAndPairsToo) {
  keep_ceilings_small();
  const std::string data = mnist();
  const std::string labels = data + "/train-labels-idx1-ubyte";
  const std::string sentence = "cannot measure " + labels + ": it was written to while it was measured";
  write(home_ / "config.json", R"({"trial_seconds": 0.001, "trials": 100000})");
  Tool ceilings({"ceilings", "--config", "config.json", "--workload", "mnist", "--data", data, "--batch-size", "8"},
                world_);
  ASSERT_TRUE(ceilings.wait_until_err_says("trial 1/"));
  std::filesystem::last_write_time(labels, {});
  ASSERT_TRUE(ceilings.wait_until_err_says(": failed"));
  ceilings.send(SIGTERM);
  const Outcome interrupted = ceilings.finish();
  EXPECT_EQ(interrupted.exit_code, 143);
  EXPECT_THAT(interrupted.err, testing::HasSubstr(sentence));

  Tool pairs({"ab", "--workload", "mnist", "--data", data, "--batch-size", "8", "--trial-batches", "3", "--workers",
              "1", "--mode", "io", "--pairs", "100000", "--new", "--prefetch 3", "-o", "out"},
             world_);
  ASSERT_TRUE(pairs.wait_until_err_says("trial 3/"));
  write(labels, bytes_of(labels));
  const Outcome outcome = pairs.finish();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(refusals(outcome), testing::Contains(testing::HasSubstr("cannot measure " + labels + ": it was ")));
  EXPECT_GE(trials_in(result("out-base.json")), 1U);
}

}  // namespace
}  // namespace loadline::test
