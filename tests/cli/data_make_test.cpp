// `loadline data make`.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class DataMake : public CommandLine {};

TEST_F(DataMake, MakesWhatTheWorkloadMeasures) {
  const Outcome made = run({"data", "make", "mnist", "new", "--samples", "60"});
  EXPECT_EQ(made.exit_code, 0);
  EXPECT_EQ(made.err, "new: made\n");
  EXPECT_EQ(run({"data", "verify", "new"}).exit_code, 0);
  EXPECT_EQ(run({"data", "verify", "new", "--split", "test"}).exit_code, 0);
  EXPECT_EQ(run(short_run("new") + Words{"-q"}).exit_code, 0);
}

TEST_F(DataMake, IsNotMadeTwice) {
  const Words words{"data", "make", "cifar10", "new", "--samples", "20"};
  ASSERT_EQ(run(words).exit_code, 0);
  const Outcome again = run(words);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.err, "new: already there, nothing changed\n");
}

TEST_F(DataMake, SpeaksOfOneSampleInTheSingular) {
  EXPECT_EQ(run({"data", "make", "mnist", "shards", "--samples", "10", "--as", "webdataset"}).err,
            "shards: made, 10 samples in train and 1 sample in val\n");
  EXPECT_THAT(run({"data", "verify", "shards/val"}).out, HasSubstr("ok, 1 sample and label read and decoded"));
  EXPECT_THAT(run({"data", "convert", "shards/val", "one.h5"}).err, HasSubstr("one.h5: made, 1 sample, fingerprint "));
}

TEST_F(DataMake, MakesMeasuresAndConvertsShards) {
  for (const std::string format : {"webdataset", "tfrecord"}) {
    const Outcome made = run({"data", "make", "cifar10", format, "--samples", "40", "--as", format});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.err, format + ": made, 40 samples in train and 8 samples in val\n");
    EXPECT_THAT(run({"data", "verify", format, "--split", "test"}).out,
                HasSubstr(format + ": ok, 8 samples and labels read and decoded, fingerprint "));
    const Outcome measured =
        run(Words{"run", "--workload", "photos", "--data", format, "--mode", "io", "--batch-size", "8", "--loader",
                  "serial,thread-pool", "--image-size", "32", "-o", "result.json", "--overwrite"} +
            kShort);
    EXPECT_EQ(measured.exit_code, 0) << measured.err;
    EXPECT_THAT(measured.out, HasSubstr("(" + format + ", 40 samples"));
    ASSERT_EQ(run({"data", "convert", format, format + "-cifar", "--format", "cifar10", "-q"}).exit_code, 0);
    ASSERT_EQ(run({"data", "convert", format, format + ".h5", "--decode", "-q"}).exit_code, 0);
    EXPECT_THAT(run({"data", "info", format + ".h5"}).out, HasSubstr("shape        3x32x32"));
  }
  EXPECT_EQ(files(), (std::set<std::string>{"result.json", "tfrecord", "tfrecord-cifar", "tfrecord.h5", "webdataset",
                                            "webdataset-cifar", "webdataset.h5"}));
  expect_refusal(run({"data", "make", "cifar10", "webdataset", "--samples", "40", "--as", "tfrecord"}), 1,
                 "cannot make webdataset: something else is there (train differs in content); name another directory "
                 "or remove this one");
  EXPECT_EQ(run({"data", "make", "cifar10", "new", "--as", "zip"}).exit_code, 2);
  EXPECT_EQ(run({"data", "convert", "tfrecord", "new", "--format", "webdataset", "--shard", "0"}).exit_code, 2);
}

TEST_F(DataMake, MakesImagesInEveryFormatThatCanHoldThem) {
  const std::pair<std::string, std::string> cases[] = {{"hdf5", ".h5"}, {"npy", ""},        {"npz", ".npz"},
                                                       {"jpeg", ""},    {"webdataset", ""}, {"tfrecord", ""}};
  for (const auto& [format, ending] : cases) {
    const Outcome made = run({"data", "make", "cifar10", format, "--samples", "50", "--as", format});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.err, fmt::format("{0}: made, 50 samples in train{1} and 10 samples in val{1}\n", format, ending));
    EXPECT_THAT(run({"data", "verify", fmt::format("{}/train{}", format, ending)}).out,
                HasSubstr(": ok, 50 samples and labels read"));
    EXPECT_THAT(run({"data", "verify", fmt::format("{}/val{}", format, ending)}).out,
                HasSubstr(": ok, 10 samples and labels read"));
  }
  EXPECT_THAT(run({"data", "info", "jpeg", "--split", "test"}).out, HasSubstr("\nformat       image-folder\n"));
  expect_refusal(run({"data", "info", "npz"}), 1,
                 "cannot open npz: it is no dataset itself; give the path of one in it: npz/train.npz or "
                 "npz/val.npz");
  EXPECT_EQ(run({"data", "make", "mnist", "idx", "--samples", "20", "--as", "idx"}).err, "idx: made\n");
  const Outcome measured = run(Words{"run", "--workload", "cifar10", "--data", "npz/train.npz", "--mode", "io",
                                     "--batch-size", "8", "--loader", "serial", "-o", "result.json"} +
                               kShort);
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_EQ(files(),
            (std::set<std::string>{"hdf5", "idx", "jpeg", "npy", "npz", "result.json", "tfrecord", "webdataset"}));
}

TEST_F(DataMake, MakesWhatIsNoSetOfSmallImagesInOtherFormatsToo) {
  write(home_ / "from/one.ppm", "P6\n64 48\n255\n" + std::string(std::size_t{64} * 48 * 3, 'x'));
  EXPECT_EQ(
      run({"data", "make", "photos", "photos", "--from", "from", "--samples", "2", "--size", "32", "--as", "npz"}).err,
      "photos: made, 2 samples in train.npz and 1 sample in val.npz\n");
  EXPECT_THAT(run({"data", "info", "photos/train.npz"}).out, HasSubstr("shape        3x24x32 "));
  EXPECT_EQ(run({"data", "make", "nbody", "cube", "--size", "8", "--as", "npy"}).err, "cube: made\n");
  EXPECT_THAT(run({"data", "verify", "cube"}).out, testing::StartsWith("cube: ok, all values read, fingerprint "));
  EXPECT_THAT(run({"data", "make", "text", "tokens", "--size", "20000", "--as", "tokens"}).err,
              testing::MatchesRegex("tokens: made, [0-9]+ documents in train and [0-9]+ documents in val\n"));
  EXPECT_THAT(run({"data", "info", "tokens/val"}).out, HasSubstr("\nformat       tokens\n"));
}

// With 20 samples, a batch of CIFAR-10 has 12,292 bytes and train.npz more than 61,440.
TEST_F(DataMake, LeavesNothingOfAnotherFormatThatCannotBeMade) {
  const Words words{"data", "make", "cifar10", "a/b/new", "--samples", "20", "--as", "npz"};
  world_.most_file_bytes = 4096;
  expect_refusal(run(words), 1, "cannot write a/b/new: File too large");
  EXPECT_EQ(files(), std::set<std::string>());
  world_.most_file_bytes = 30'000;
  expect_refusal(run(words), 1, "cannot write a/b/new/train.npz: File too large");
  EXPECT_EQ(files(), std::set<std::string>());
}

TEST_F(DataMake, RefusesAtOnceToMakeAnotherFormatWhereSomethingIs) {
  write(home_ / "empty", "");
  const auto sentence = [](const std::string& place, const std::string& what) {
    return fmt::format("cannot make {}: something else is there ({}); name another directory or remove this one", place,
                       what);
  };
  expect_refusal(run({"data", "make", "cifar10", "empty", "--samples", "20", "--as", "npz"}), 1,
                 sentence("empty", "not a directory"));
  expect_refusal(run({"data", "make", "nbody", "empty", "--size", "8", "--as", "npy"}), 1,
                 sentence("empty", "not a directory"));
  const Words words{"data", "make", "cifar10", "npz", "--samples", "20", "--as", "npz"};
  write(home_ / "npz/train.npz", "no archive");
  expect_refusal(run(words), 1, sentence("npz", "without val.npz"));
  write(home_ / "npz/val.npz", "no archive");
  write(home_ / "npz/notes.txt", "mine");
  expect_refusal(run(words), 1, sentence("npz", "holding notes.txt"));
  EXPECT_EQ(names_in(home_ / "npz"), (std::set<std::string>{"notes.txt", "train.npz", "val.npz"}));
  write(home_ / "new.making/thesis.tex", "years of work");
  EXPECT_EQ(run({"data", "make", "nbody", "new", "--size", "8", "--as", "npy"}).err, "new: made\n");
  EXPECT_EQ(names_in(home_ / "new.making"), std::set<std::string>{"thesis.tex"}) << "whatever is beside it";
}

TEST_F(DataMake, FindsWhatItMadeInAnotherFormatAlreadyThere) {
  for (const std::string format : {"hdf5", "npy", "npz", "jpeg", "webdataset", "tfrecord"}) {
    const Words words{"data", "make", "cifar10", format, "--samples", "50", "--as", format};
    ASSERT_EQ(run(words + Words{"-q"}).exit_code, 0);
    const Outcome again = run(words);
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_EQ(again.err, fmt::format("{}: already there, nothing changed\n", format));
    const std::string train = format == "hdf5" ? "train.h5" : format == "npz" ? "train.npz" : "train";
    expect_refusal(run(words + Words{"--seed", "2"}), 1,
                   fmt::format("cannot make {}: something else is there ({} differs in content); name another "
                               "directory or remove this one",
                               format, train));
  }
  EXPECT_EQ(files(), (std::set<std::string>{"hdf5", "jpeg", "npy", "npz", "tfrecord", "webdataset"}));
}

TEST_F(DataMake, FindsAlreadyThereWhateverItMadeBefore) {
  std::string ramp = "P6\n64 48\n255\n";
  for (int i = 0; i < 64 * 48 * 3; ++i) ramp += static_cast<char>(i / 40);
  write(home_ / "from/one.ppm", ramp);
  const Words photos{"--from", "from", "--samples", "2", "--size", "32"};
  const std::pair<std::string, Words> cases[] = {
      {"nbody", {"--size", "8", "--as", "npy"}},      {"text", {"--size", "20000", "--as", "tokens"}},
      {"text", {"--size", "20000", "--as", "files"}}, {"photos", photos},
      {"photos", photos + Words{"--as", "hdf5"}},     {"photos", photos + Words{"--as", "npz"}}};
  for (const auto& [kind, options] : cases) {
    const Words words = Words{"data", "make", kind, "a/new"} + options;
    EXPECT_EQ(run(words + Words{"-q"}).err, "");
    const Outcome again = run(words);
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_EQ(again.err, "a/new: already there, nothing changed\n");
    const Outcome other = run(words + Words{"--seed", "2"});
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.err, testing::StartsWith("loadline: cannot make a/new: something else is there ("));
    EXPECT_EQ(names_in(home_ / "a"), std::set<std::string>{"new"});
    std::filesystem::remove_all(home_ / "a");
  }
}

TEST_F(DataMake, CreatesMissingParents) {
  const std::string data = mnist();
  for (const Words& words : {Words{"data", "make", "mnist", "a/b/new", "--samples", "20"},
                             Words{"data", "make", "mnist", "a/b/new", "--samples", "20", "--as", "npz"},
                             Words{"data", "make", "nbody", "a/b/new", "--size", "8"},
                             Words{"data", "convert", data, "a/b/new", "--format", "npy"},
                             Words{"data", "convert", data, "a/b/new", "--format", "hdf5"}}) {
    const Outcome made = run(words);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(names_in(home_ / "a/b"), std::set<std::string>{"new"});
    std::filesystem::remove_all(home_ / "a");
  }
  write(home_ / "file", "");
  for (const Words& words : {Words{"data", "make", "mnist", "file/b/new", "--samples", "20", "-q"},
                             Words{"data", "make", "mnist", "file/b/new", "--samples", "20", "--as", "npz", "-q"},
                             Words{"data", "make", "nbody", "file/b/new", "--size", "8", "-q"},
                             Words{"data", "convert", data, "file/b/new", "--format", "npy", "-q"}}) {
    expect_refusal(run(words), 1, "cannot create file/b: Not a directory");
  }
}

TEST_F(DataMake, MakesAnotherFormatInAnEmptyDirectory) {
  for (const char* place : {"new", "link"}) {
    std::filesystem::create_directory(home_ / "new");
    if (!std::filesystem::is_symlink(home_ / "link")) std::filesystem::create_symlink("new", home_ / "link");
    EXPECT_EQ(run({"data", "make", "cifar10", place, "--samples", "20", "--as", "npz", "-q"}).exit_code, 0);
    EXPECT_EQ(names_in(home_ / "new"), (std::set<std::string>{"train.npz", "val.npz"}));
    EXPECT_EQ(files(), (std::set<std::string>{"link", "new"}));
    std::filesystem::remove_all(home_ / "new");
  }
}

TEST_F(DataMake, MakesAnotherFormatInTheDirectoryWhereItRuns) {
  const Outcome made = run({"data", "make", "cifar10", ".", "--samples", "20", "--as", "npz"});
  EXPECT_EQ(made.err, ".: made, 20 samples in train.npz and 4 samples in val.npz\n");
  EXPECT_EQ(files(), (std::set<std::string>{"train.npz", "val.npz"}));
}

TEST_F(DataMake, RefusesTooFewSamplesForAFolderOfEachClass) {
  const std::pair<std::string, std::size_t> cases[] = {{"cifar10", 50}, {"cifar100", 500}, {"mnist", 60}};
  for (const auto& [kind, least] : cases) {
    const std::string few = std::to_string(least - 1);
    expect_refusal(
        run({"data", "make", kind, "new", "--samples", few, "--as", "jpeg"}), 2,
        fmt::format("--samples {}: want at least {} for --as jpeg, so that val has every class", few, least));
  }
  EXPECT_EQ(files(), std::set<std::string>());
  EXPECT_EQ(run({"data", "make", "mnist", "new", "--samples", "60", "--as", "jpeg"}).err,
            "new: made, 60 samples in train and 10 samples in val\n");
}

TEST_F(DataMake, WaitsForStorageOnceWhenItWritesManyFiles) {
  write(home_ / "lines.txt", "one\ntwo\n");
  world_.refused_calls = {SYS_fsync};
  expect_refusal(run({"data", "convert", "lines.txt", "new", "--format", "files", "-q"}), 1,
                 "cannot commit the name of new to disk: Operation not permitted");
  write(home_ / "from/one.ppm", "P6\n64 48\n255\n" + std::string(std::size_t{64} * 48 * 3, 'x'));
  const Words photos{"data", "make", "photos", "photos", "--from", "from", "--samples", "2", "--size", "32", "-q"};
  expect_refusal(run(photos), 1, "cannot commit the name of photos to disk: Operation not permitted");
  const Words text{"data", "make", "text", "text", "--size", "20000", "--as", "files", "-q"};
  expect_refusal(run(text), 1, "cannot commit the name of text to disk: Operation not permitted");
  world_.refused_calls = {SYS_syncfs};
  EXPECT_EQ(run(text).exit_code, 0) << "it is there already";
  std::filesystem::remove_all(home_ / "text");
  expect_refusal(run(text), 1, "cannot write text: Operation not permitted");
  expect_refusal(run({"data", "convert", "lines.txt", "again", "--format", "files", "-q"}), 1,
                 "cannot write again: Operation not permitted");
  EXPECT_EQ(files(), (std::set<std::string>{"from", "lines.txt", "new", "photos"}));
}

TEST_F(DataMake, MakesAndMeasuresAVolume) {
  const Outcome made = run({"data", "make", "nbody", "nbody.h5", "--size", "24"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.err, "nbody.h5: made\n");
  const Outcome info = run({"data", "info", "nbody.h5"});
  EXPECT_THAT(info.out, HasSubstr("shape        4 + 5 channels of 24x24x24 (input + target)\ndtype        f32\n"));
  EXPECT_THAT(info.out, Not(HasSubstr("labels")));
  const Words words = Words{"run",     "--workload", "nbody",  "--data", "nbody.h5", "--crop-edge", "16",
                            "--crops", "12",         "--mode", "io",     "-o",       "result.json"} +
                      kShort;
  const Outcome all = run(words + Words{"--loader", "serial,thread-pool,flow-graph,hdf5-mmap,hdf5", "--workers", "2"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("(volume, 12 samples out of 4 + 5 channels of 24^3 f32, hdf5-rows, fingerprint "));
  EXPECT_EQ(result()["datasets"][0]["volume"]["edge"], 24);
  ASSERT_EQ(run({"data", "convert", "nbody.h5", "npy", "--format", "npy"}).exit_code, 0);
  EXPECT_EQ(run({"data", "verify", "npy"}).exit_code, 0);
}

TEST_F(DataMake, MakesAndMeasuresTokens) {
  const Outcome made = run({"data", "make", "tokens", "tokens", "--size", "40000"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.err, "tokens: made\n");
  const Outcome info = run({"data", "info", "tokens"});
  EXPECT_THAT(info.out, HasSubstr("format       tokens\ntokens       40960\ndocuments    "));
  EXPECT_THAT(info.out, HasSubstr("\ndtype        u16\nstored "));
  EXPECT_THAT(info.out, Not(HasSubstr("labels")));
  EXPECT_THAT(run({"data", "verify", "tokens/train.bin"}).out, HasSubstr("ok, 40960 tokens read, fingerprint "));
  const Words words = Words{"run", "--workload",   "tokens", "--data", "tokens",     "--sequence-length",
                            "64",  "--batch-size", "8",      "-o",     "result.json"} +
                      kShort;
  const Outcome all = run(
      words + Words{"--loader", "serial,thread-pool,flow-graph", "--workers", "2", "--sequences", "random,documents"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("samples out of 40960 tokens of u16, mapped, fingerprint "));
  EXPECT_THAT(all.out, HasSubstr("\ntokens/s: tokens that samples predict; length: tokens per sample; padding: "));
  EXPECT_THAT(all.out, HasSubstr("  0.0 %\n"));
  const auto json = result();
  for (const auto& cell : json["cells"]) {
    if (cell["mode"] == "OVERHEAD") continue;
    EXPECT_EQ(cell["sequence_length"], 64);
    EXPECT_EQ(cell["dtype"], "i32");
    const auto& trial = cell["trials"][0];
    const std::size_t tokens = trial["tokens"];
    const std::size_t padding = trial["padding"];
    EXPECT_EQ(tokens + padding, trial["samples"].get<std::size_t>() * 64);
    EXPECT_EQ(padding > 0, cell["sequences"] == "documents");
    EXPECT_EQ(cell["padding_share"] > 0.0, cell["sequences"] == "documents");
    const bool repeats_documents = cell["mode"] == "SYNTHETIC" && cell["sequences"] == "documents";
    EXPECT_EQ(cell.contains("tokens_per_second"), !repeats_documents);
    if (!repeats_documents) {
      EXPECT_GT(cell["tokens_per_second"]["mean"], 0.0);
    }
  }
  EXPECT_EQ(json["datasets"][0]["tokens"]["tokens"], 40960);
  EXPECT_EQ(json["datasets"][0]["dtype"], "u16");
  // The result can be read back and reported.
  const Outcome csv = run({"report", "result.json", "--format", "csv"});
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_THAT(csv.out, HasSubstr(",tokens_per_second,padding_tokens,"));
  EXPECT_EQ(run({"report", "result.json", "-o", "report.html"}).exit_code, 0);
}

TEST_F(DataMake, RefusesToReplaceSomethingElse) {
  write(home_ / "new" / "thesis.tex", "years of work");
  const Outcome outcome = run({"data", "make", "cifar10", "new", "--samples", "20"});
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(refusals(outcome).size(), 1U);
  EXPECT_THAT(refusals(outcome)[0], HasSubstr("cannot make new: something else is there"));
  EXPECT_EQ(names_in(home_ / "new"), std::set<std::string>{"thesis.tex"});
  EXPECT_EQ(bytes_of(home_ / "new" / "thesis.tex"), "years of work");
}

TEST_F(DataMake, RefusesToReplaceDataOfAnotherSeed) {
  ASSERT_EQ(run({"data", "make", "mnist", "new", "--samples", "20", "--quiet"}).err, "");
  const Outcome outcome = run({"data", "make", "mnist", "new", "--samples", "20", "--seed", "2"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("differs in content"));
}

TEST_F(DataMake, LeavesNothingOnAFullDisk) {
  world_.most_file_bytes = 4096;
  const Outcome outcome = run({"data", "make", "cifar10", "new", "--samples", "100"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(refusals(outcome), Words{"cannot write new/data_batch_1.bin: File too large"});
  EXPECT_EQ(files(), std::set<std::string>());
}

TEST_F(DataMake, LeavesNothingWhenInterrupted) {
  for (const Words& as : {Words{}, Words{"--as", "npz"}}) {
    const int watch = ::inotify_init1(IN_CLOEXEC);
    ASSERT_GE(::inotify_add_watch(watch, home_.path().c_str(), IN_CREATE), 0);
    Tool tool(Words{"data", "make", "cifar10", "new", "--samples", "50000000"} + as, world_);
    pollfd begun{watch, POLLIN, 0};
    EXPECT_EQ(::poll(&begun, 1, 60'000), 1) << "it has begun to write";
    ::close(watch);
    tool.send(SIGINT);
    const Outcome outcome = tool.finish();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(refusals(outcome), Words{"making new was interrupted; nothing was left behind"});
    EXPECT_EQ(files(), std::set<std::string>());
  }
}

}  // namespace
}  // namespace loadline::test
