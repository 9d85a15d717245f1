// Requests that cannot be met: exit code 2 and one sentence with what was given, what is accepted, and the nearest
// match.
#include "loaders/loader.h"
#include "loaders/names.h"
#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

class Usage : public CommandLine {
 protected:
  void expect_usage(const Words& words, const std::string& sentence) const {
    SCOPED_TRACE(testing::PrintToString(words));
    expect_refusal(run(words), 2, sentence);
    EXPECT_EQ(files(), std::set<std::string>());
  }
};

TEST_F(Usage, MissingVerbIsRefused) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, testing::StartsWith("loadline: want a verb, one of run, ceilings, train, "));
  EXPECT_THAT(outcome.err, testing::EndsWith(", help, see --help\n"));
  expect_usage({"data"}, "data: want a verb, one of info, verify, make, convert, see --help");
}

TEST_F(Usage, UnknownVerbNamesTheNearest) {
  expect_usage({"rnu"}, "unknown verb 'rnu' (did you mean run?)");
  expect_usage({"data", "verfy"}, "data: unknown verb 'verfy' (did you mean verify?)");
  expect_usage({"measure"}, "unknown verb 'measure', see --help");
  expect_usage({"measure", "--help"}, "unknown verb 'measure', see --help");
  expect_usage({"data", "verfy", "-h"}, "data: unknown verb 'verfy' (did you mean verify?)");
}

TEST_F(Usage, UnknownOptionNamesTheNearest) {
  expect_usage({"run", "--worker", "2"}, "run: unknown option '--worker' (did you mean --workers?)");
  expect_usage({"run", "--batchsize=8"}, "run: unknown option '--batchsize=8' (did you mean --batch-size?)");
  expect_usage({"data", "verify", "x", "--spilt", "test"},
               "data verify: unknown option '--spilt' (did you mean --split?)");
  expect_usage({"run", "--work", "2"}, "run: unknown option '--work' (did you mean --workload or --workers?)");
  expect_usage({"run", "--batch", "2"}, "run: unknown option '--batch' (did you mean --batch-size?)");
  expect_usage({"run", "-x"}, "run: unknown option '-x', see --help");
}

TEST_F(Usage, UnknownOptionNamesWhatThisVerbHasInItsPlace) {
  expect_usage({"ab", "--trials", "5"}, "ab: unknown option '--trials' (did you mean --pairs?)");
  expect_usage({"ab", "--trials=5"}, "ab: unknown option '--trials=5' (did you mean --pairs?)");
}

TEST_F(Usage, OptionBeforeItsVerbIsUnknownThere) {
  expect_usage({"--dry-run", "run"}, "unknown option '--dry-run', see --help");
}

TEST_F(Usage, StrayWordIsRefused) {
  expect_usage({"run", "fast"}, "run: unknown argument 'fast', see --help");
  expect_usage({"run", "list"}, "run: unknown argument 'list', see --help");
}

TEST_F(Usage, UnknownValueNamesTheNearest) {
  expect_usage({"run", "--loader", "thread-poll"},
               "--loader 'thread-poll': want one of " + list_of(names_of(loaders())) + " (did you mean thread-pool?)");
  expect_usage({"run", "--mode", "io,ful"}, "--mode 'ful': want one of io, synthetic, full (did you mean full?)");
  expect_usage({"run", "--compute", "device:sample_per_second=1"},
               "compute device: parameter 'sample_per_second': want one of samples_per_second, profile, "
               "copy_bytes_per_second, copy_latency_seconds, overlap, depth, devices, gradient_bytes, "
               "reduce_bytes_per_second, reduce_latency_seconds, ranks, bucket_bytes, mode, busy (did you mean "
               "samples_per_second?)");
  expect_usage({"data", "make", "cifar11", "x"},
               "kind of dataset 'cifar11': want one of cifar10, cifar100, mnist, photos, nbody, tokens, text (did you "
               "mean cifar10?)");
  expect_usage({"data", "info", ".", "--split", "tset"},
               "--split 'tset': want one of train, test (did you mean test?)");
}

// `ab` used to say so after it had measured.
TEST_F(Usage, UnknownFormatIsRefusedBeforeAnythingIsReadOrMeasured) {
  expect_usage({"ab", "--base", "--workers 1", "--new", "--workers 2", "--report-format", "txt"},
               "--report-format 'txt': want one of text, markdown, csv, json (did you mean text?)");
  expect_usage({"diff", "none.json", "nor.json", "--format", "mardown"},
               "--format 'mardown': want one of text, markdown, csv, json (did you mean markdown?)");
}

TEST_F(Usage, FlagThatIsNeitherOnNorOffIsRefused) {
  expect_usage({"run", "--dry-run=maybe"}, "run: --dry-run: want on or off, got 'maybe'");
  expect_usage({"merge", "a.json", "b.json", "--overwrite=x"}, "merge: --overwrite: want on or off, got 'x'");
  expect_usage({"run", "--in-memory=of"}, "--in-memory: want on or off, got 'of'");
}

// It used to be "want a value".
TEST_F(Usage, OptionGivenTwiceTakesItsLastValue) {
  expect_refusal(run({"run", "--config", "a.json", "--config", "b.json"}), 1,
                 "cannot open b.json: No such file or directory");
  expect_usage({"diff", "a.json", "b.json", "--color", "never", "--color", "nevr"},
               "--color 'nevr': want one of auto, always, never (did you mean never?)");
}

TEST_F(Usage, UnknownComputeNamesTheNearestBuiltIn) {
  const Outcome outcome = run({"run", "--compute", "devise:samples_per_second=1"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, testing::StartsWith("loadline: compute 'devise': want one of drain, device"));
  EXPECT_THAT(outcome.err, testing::EndsWith(" (did you mean device?)\n"));
}

TEST_F(Usage, ComputeLeftOutOfTheBuildSaysHowToGetIt) {
  if (run({"list"}).out.find("cuda           left out: ") == std::string::npos) GTEST_SKIP() << "none is left out";
  expect_usage({"run", "--compute", "cuda"},
               "compute cuda: built without CUDA; install the CUDA toolkit and configure again");
}

TEST_F(Usage, NumberOutOfRangeNamesTheRange) {
  expect_usage({"run", "--workers", "0"}, "--workers 0: loader thread-pool wants at least 1");
  expect_usage({"run", "--workers", "10000"}, "--workers: want a whole number from 0 to 4096, got '10000'");
  expect_usage({"run", "--trials", "0"}, "--trials: want a whole number from 1 to 100000, got '0'");
  expect_usage({"run", "--batch-size", "0"}, "--batch-size: want a whole number of at least 1, got '0'");
  expect_usage({"run", "--trial-seconds", "nan"}, "--trial-seconds: want a number from 0.001 to 1000000, got 'nan'");
  expect_usage({"data", "make", "mnist", "x", "--samples", "-1"}, "--samples: want a whole number, got '-1'");
  expect_usage({"data", "make", "mnist", "x", "--seed", "one"}, "--seed: want a whole number, got 'one'");
  expect_usage({"data", "make", "mnist", "x", "--samples", "0"},
               "cannot make mnist with 0 samples: want from 10 (one per class) to 4294967295");
}

TEST_F(Usage, SameItemTwiceInAListIsRefused) {
  expect_usage({"run", "--workers", "1,1"}, "--workers: the list contains '1' twice");
  expect_usage({"run", "--loader", "serial,serial"}, "--loader: the list contains 'serial' twice");
}

TEST_F(Usage, EmptyListItemIsRefused) {
  expect_usage({"run", "--workers", "1,"}, "--workers: want a whole number from 0 to 4096, got ''");
  expect_usage({"run", "--mode="}, "run: --mode: its value is empty, see --help");
  expect_usage({"run", "--loader=", "--mode", "io"}, "run: --loader: its value is empty, see --help");
  expect_usage({"run", "--data", "", "--dry-run"}, "run: --data: its value is empty, see --help");
  expect_usage({"diff", "--save-baseline", "", "base.json"}, "diff: --save-baseline: its value is empty, see --help");
}

TEST_F(Usage, MissingValueIsNamed) {
  expect_usage({"run", "--workers"}, "run: --workers: want a value, see --help");
  expect_usage({"data", "info"}, "data info: path is required, see --help");
  expect_usage({"data", "make", "mnist"}, "data make: directory is required, see --help");
  expect_usage({"merge"}, "merge: results are required, see --help");
  expect_usage({"baseline", "delete"}, "baseline delete: names are required, see --help");
  expect_usage({"data", "verify", ""}, "cannot open the dataset: its path is empty");
  expect_usage({"data", "convert", "a.h5", "-", "--format", "hdf5"},
               "data convert: want a file or a directory to write, got '-'");
  expect_usage({"data", "make", "cifar10", "dd", "--as", "nope"},
               "--as of cifar10 'nope': want one of cifar10, hdf5, npy, npz, jpeg, webdataset, tfrecord");
  expect_usage({"data", "make", "nbody", "dd", "--as", "webdataset"},
               "--as of nbody 'webdataset': want one of hdf5, npy");
  expect_usage({"data", "convert", "a.bin", "dd", "--format", "tokens", "--to-token-type", "u8"},
               "--to-token-type 'u8': want one of u16, u32");
}

TEST_F(Usage, JudgingWithoutTheTrialsItNeedsIsRefused) {
  expect_usage({"run", "--au", "90"}, "--au: want a share from 1e-06 to 1, such as 0.05 or 5%, got '90'");
  expect_usage({"run", "--au", "0.9", "--mode", "io"},
               "--au: it needs SYNTHETIC and FULL trials; add synthetic and full to --mode");
  expect_usage({"run", "--check-verdict", "--mode", "full"},
               "--check-verdict: it needs SYNTHETIC and FULL trials; add synthetic and full to --mode");
  expect_usage({"run", "--find", "max-rate"}, "--find max-rate: it needs --au, the utilisation to maintain");
  expect_usage({"run", "--find", "max-rates", "--au", "0.9"},
               "--find 'max-rates': want one of max-rate, max-devices, min-workers, best (did you mean max-rate?)");
}

TEST_F(Usage, ContradictoryOptionsAreRefused) {
  expect_usage({"run", "--normalise", "of"}, "--normalise 'of': want one of auto, on, off (did you mean off?)");
  expect_usage({"run", "--dtype", "u8", "--normalise", "on"},
               "--normalise on: dtype u8 cannot be normalised; f32 and bf16 can");
  expect_usage({"run", "--mean", "0.5", "--normalise", "off"}, "--mean and --std: they contradict --normalise off");
  expect_usage({"run", "--rank-timeout", "-1"}, "--rank-timeout: want a number from 0.1 to 86400, got '-1'");
  expect_usage({"run", "--rank", "2", "--world-size", "2"}, "--rank 2: want a rank below --world-size 2");
  expect_usage({"run", "--data", "x", "--workload", "mnist,cifar10"},
               "--data x: one path cannot be the data of 2 workloads; name one with --workload");
  expect_usage({"run", "--order", "page-shuffled", "--window-samples", "8"},
               "--window-samples 8: want at least one page of --page-samples, which is 64");
  expect_usage({"run", "--loader", "serial", "--workers", "2"},
               "--workers: no cell that --loader and --mode choose has workers");
}

TEST_F(CommandLine, HelpAndVersionAreNotErrors) {
  for (const Words& words : {Words{"--help"}, Words{"run", "--help"}, Words{"ceilings", "--help"},
                             Words{"data", "make", "--help"}, Words{"--version"}, Words{"list"}}) {
    SCOPED_TRACE(testing::PrintToString(words));
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out, "");
    EXPECT_EQ(outcome.err, "");
  }
}

}  // namespace
}  // namespace loadline::test
