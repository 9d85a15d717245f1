// Text, which workers tokenise.
#include <filesystem>

#include "tests/cli/fixture.h"
#include "tests/support/this_build.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class OfText : public CommandLine {
 protected:
  Words measuring(const std::string& path, const Words& more = {}) const {
    return Words{"run", "--workload",   "text", "--data", path,         "--sequence-length",
                 "64",  "--batch-size", "8",    "-o",     "result.json"} +
           kShort + more;
  }
};

TEST_F(OfText, IsStagedWithTheModelBesideIt) {
  write(home_ / "shared/lines.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n");
  std::filesystem::copy_file(std::string(kRepository) + "/tests/loaders/support/words.model",
                             home_ / "shared/words.model");
  std::filesystem::create_directory(home_ / "node");
  const Outcome outcome =
      run(measuring("shared/lines.txt", {"--stage", "node", "--mode", "io", "--loader", "serial", "--in-memory"}));
  // This build has no SentencePiece, or a sanitizer keeps it from working.
  if (outcome.err.find("SentencePiece") != std::string::npos ||
      outcome.err.find("This program was") != std::string::npos)
    GTEST_SKIP() << outcome.err;
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto text = result()["datasets"][0]["text"];
  EXPECT_THAT(text["tokenizer"].get<std::string>(), testing::EndsWith("/words.model"));
  EXPECT_EQ(text["vocabulary"], 300);
}

TEST_F(OfText, IsMadeInThreeFormsAndMeasured) {
  ASSERT_EQ(run({"data", "make", "text", "text", "--size", "40000"}).err, "text: made\n");
  ASSERT_EQ(run({"data", "make", "text", "json", "--size", "20000", "--as", "json-lines", "-q"}).exit_code, 0);
  ASSERT_EQ(run({"data", "make", "text", "files", "--size", "20000", "--as", "files", "-q"}).exit_code, 0);
  EXPECT_THAT(run({"data", "info", "text"}).out,
              HasSubstr(" bytes on average, lines\ntokenizer    bytes, 256 tokens\n"));
  EXPECT_THAT(run({"data", "info", "json"}).out, HasSubstr(" bytes on average, json-lines\n"));
  EXPECT_THAT(run({"data", "info", "files"}).out, HasSubstr(" bytes on average, files\n"));
  EXPECT_THAT(run({"data", "verify", "json"}).out, HasSubstr(" documents read, fingerprint "));
  for (const char* path : {"text", "json", "files"}) {
    const Outcome all = run(measuring(path, {"--loader", "serial,thread-pool,flow-graph", "--workers", "2",
                                             "--sequences", "padded,packed", "--overwrite"}));
    EXPECT_EQ(all.exit_code, 0) << all.err;
    EXPECT_THAT(all.out, HasSubstr(" bytes, tokenised by bytes, "));
    EXPECT_THAT(all.out, HasSubstr("\ncut: share of the tokens that did not fit their sample"));
    EXPECT_THAT(all.out, HasSubstr("tokenise"));
    const auto json = result();
    for (const auto& cell : json["cells"]) {
      if (cell["mode"] == "OVERHEAD") continue;
      const bool packed = cell["sequences"] == "packed";
      EXPECT_EQ(cell["tokenizer"], "auto");
      EXPECT_EQ(cell["dtype"], "i32");
      EXPECT_EQ(cell["trials"][0].contains("cut_tokens"), true);
      const bool repeats_documents = cell["mode"] == "SYNTHETIC" && !packed;
      EXPECT_EQ(cell.contains("tokens_per_second"), !repeats_documents);
      if (!repeats_documents) {
        EXPECT_GT(cell["tokens_per_second"]["mean"], 0.0);
      }
      EXPECT_EQ(cell["padding_share"].is_number(), true);
      EXPECT_EQ(cell["cut_share"] > 0.2, !packed) << path;
    }
    EXPECT_EQ(json["datasets"][0]["text"]["vocabulary"], 256);
  }
  EXPECT_THAT(run({"report", "result.json", "--format", "csv"}).out, HasSubstr(",padding_tokens,cut_tokens,"));
}

TEST_F(OfText, WastesLessIfBatchesHoldDocumentsOfSimilarLength) {
  ASSERT_EQ(run({"data", "make", "text", "text", "--size", "60000", "-q"}).exit_code, 0);
  const Outcome outcome =
      run(measuring("text", {"--sequence-length", "768", "--mode", "io", "--bucket-batches", "0,8"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = result();
  double padding[2] = {};
  for (const auto& cell : json["cells"]) {
    if (cell["mode"] == "IO") padding[cell["bucket_batches"] == 0 ? 0 : 1] = cell["padding_share"];
  }
  EXPECT_GT(padding[0], 0.4);
  EXPECT_LT(padding[1], 0.5 * padding[0]);
}

TEST_F(OfText, IsRefusedInASentence) {
  write(home_ / "lines.txt", std::string(64, 'a') + "\nb\nc\nd\ne\nf\ng\nh\n");
  const std::string place = "cannot use lines.txt for workload text: ";
  const std::pair<Words, std::string> cases[] = {
      {{"--dtype", "u8"}, place + "--dtype u8: tokens are i32 in a batch"},
      {{"--flip", "on"}, place + "--flip on: it applies to images, not to text"},
      {{"--sequences", "random"},
       "lines.txt holds text, whose sequences are padded or packed, not random; use --workload text"},
      {{"--sequences", "packed", "--bucket-batches", "2", "--sequence-length", "4"},
       "--bucket-batches 2: the samples have no lengths of their own, only those of padded text do"},
      {{"--documents", "files"}, "--documents files: lines.txt is one file, name a directory of files"},
      {{"--loader", "hdf5"}, "--loader hdf5: it reads HDF5, but tokens and text have files of their own"},
  };
  for (const auto& [extra, sentence] : cases) {
    const Outcome outcome = run(measuring("lines.txt", extra));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_EQ(outcome.err, "loadline: " + sentence + "\n");
  }
  const Outcome model = run(measuring("lines.txt", {"--tokenizer", "lines.txt"}));
  // Under sanitizers the module gets the protobuf of the program instead of its own, and SentencePiece refuses it.
  EXPECT_THAT(
      model.err,
      testing::AnyOf("loadline: cannot open lines.txt: it is not a SentencePiece model as written by spm_train\n",
                     HasSubstr("built without SentencePiece"), HasSubstr("cannot open lines.txt: This program was")));
  EXPECT_THAT(run({"run", "--workload", "mnist", "--data", "lines.txt", "-o", "result.json"}).err,
              HasSubstr("it holds text; use --workload text\n"));
  EXPECT_EQ(run({"data", "convert", "lines.txt", "new.h5"}).err,
            "loadline: cannot convert to hdf5: it holds images and volumes, not text\n");
  EXPECT_EQ(run({"data", "make", "text", "new", "--samples", "9"}).err,
            "loadline: --samples: text has as many documents as fill --size bytes\n");
}

TEST_F(OfText, ThatIsCorruptIsNamedByFileAndLine) {
  write(home_ / "broken.jsonl", "{\"text\": \"one\"}\n{\"text\": 2}\n\n{\"other\": \"three\"}\n{\"text\": \"four\"}\n");
  const Outcome verified = run({"data", "verify", "broken.jsonl"});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_EQ(verified.err, "loadline: broken.jsonl: 2 of 4 documents cannot be decoded\n");
  EXPECT_THAT(verified.out, HasSubstr("line 2 of broken.jsonl: its member text is not a string\n"));
  EXPECT_THAT(verified.out, HasSubstr("line 4 of broken.jsonl: it has no member text, which --text-key names\n"));
  // All in one batch, so that no batch is without a sample.
  const Words whole{"--batch-size", "4", "--mode", "io"};
  EXPECT_THAT(run(measuring("broken.jsonl", whole)).err, HasSubstr(" of broken.jsonl (sample "));
  const Outcome skipped = run(measuring("broken.jsonl", whole + Words{"--on-corrupt", "skip", "--overwrite"}));
  EXPECT_EQ(skipped.exit_code, 0) << skipped.err;
  EXPECT_EQ(result()["cells"][0]["skipped"]["count"], 2);
}

TEST_F(OfText, IsConvertedBetweenItsForms) {
  ASSERT_EQ(run({"data", "make", "text", "text", "--size", "20000", "-q"}).exit_code, 0);
  for (const std::string form : {"json-lines", "files", "lines"}) {
    const Outcome made = run({"data", "convert", "text", form, "--format", form});
    EXPECT_THAT(made.err, testing::StartsWith(form + ": made, fingerprint "));
    EXPECT_THAT(run({"data", "info", form}).out, HasSubstr(" bytes on average, " + form + "\n"));
  }
  EXPECT_EQ(bytes_of(home_ / "lines/train.txt"), bytes_of(home_ / "text/train.txt"));
  write(home_ / "two.jsonl", "{\"text\": \"two\\nlines\"}\n");
  expect_refusal(run({"data", "convert", "two.jsonl", "new", "--format", "lines", "-q"}), 1,
                 "cannot convert to new: line 1 of two.jsonl has more than one line, which only json-lines and files "
                 "can hold");
}

TEST_F(OfText, BecomesTokensThatAreMeasuredToo) {
  ASSERT_EQ(run({"data", "make", "text", "text", "--size", "40000", "-q"}).exit_code, 0);
  EXPECT_THAT(run({"data", "convert", "text", "tokens", "--format", "tokens"}).err,
              testing::StartsWith("tokens: made, fingerprint "));
  EXPECT_THAT(run({"data", "info", "tokens"}).out, HasSubstr("format       tokens\n"));
  const Outcome outcome = run(Words{"run", "--workload", "tokens", "--data", "tokens", "--sequence-length", "64",
                                    "--batch-size", "8", "--sequences", "documents", "-o", "result.json"} +
                              kShort);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("cut: share")));
}

TEST_F(OfText, TeachesASmallModel) {
  if (kSanitized) GTEST_SKIP() << "takes long, and Train.LearnsALanguageFromTokens runs the same steps";
  ASSERT_EQ(run({"data", "make", "text", "text", "--size", "100000", "-q"}).exit_code, 0);
  const Outcome outcome = run({"train",
                               "--workload",
                               "text",
                               "--data",
                               "text",
                               "--workers",
                               "1",
                               "--epochs",
                               "2",
                               "--sequences",
                               "packed",
                               "--sequence-length",
                               "32",
                               "--batch-size",
                               "32",
                               "--compute-threads",
                               "1",
                               "--compute",
                               "gpt:layers=1,width=32,learning_rate=0.01",
                               "-o",
                               "result.json"});
  if (outcome.err.find("built without oneDNN") != std::string::npos) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(bytes_of(home_ / "result.json"));
  EXPECT_LT(json["epochs"][1]["training"]["loss"].get<double>(), json["epochs"][0]["training"]["loss"].get<double>());
  EXPECT_LT(json["epochs"][1]["validation"]["loss"].get<double>(), 4.5) << "5.5 is what knowing nothing costs";
}

}  // namespace
}  // namespace loadline::test
