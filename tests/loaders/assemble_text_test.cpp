#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/batch_pool.h"
#include "loaders/loader.h"
#include "loaders/random.h"
#include "loaders/transforms/sentencepiece.h"
#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

using test::thrown_by;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kTextLength = 16;  // tokens per sequence

class TextSamples : public testing::Test {
 protected:
  TextSamples() {
    Random random(5);
    for (int i = 0; i < 101; ++i) {
      std::string document = fmt::format("document {}", i);
      for (std::uint32_t words = random.below(6); words > 0; --words) document += " wörd";
      documents_.push_back(std::move(document));
    }
    std::string lines;
    std::string json;
    for (const std::string& document : documents_) {
      lines += document + '\n';
      json += fmt::format("{{\"id\": [1, {{\"text\": 2}}], \"text\": \"{}\"}}\n", document);
    }
    test::write(home_ / "lines.txt", lines);
    test::write(home_ / "lines.jsonl", json);
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      test::write(home_ / "files" / fmt::format("{}/{:03}.txt", i / 50, i), documents_[i]);
    }
  }

  std::unique_ptr<Dataset> open(const std::string& name, Sequences sequences, const std::string& tokenizer = "bytes",
                                bool in_memory = false) const {
    return open_dataset(
        home_ / name,
        {.in_memory = in_memory, .sequence_length = kTextLength, .sequences = sequences, .tokenizer = tokenizer});
  }

  struct Delivered {
    std::vector<SampleIndex> indices;
    std::vector<std::int32_t> tokens;
    std::size_t predicted;
    std::size_t places;
    std::size_t cut;

    bool operator==(const Delivered&) const = default;
  };

  static std::vector<Delivered> load(const Dataset& dataset, const LoaderKind& kind, LoaderOptions options,
                                     std::size_t bucket_batches = 0, OnCorrupt on_corrupt = OnCorrupt::kFail) {
    const TextAssembler assembler(*dataset.as_text(), on_corrupt);
    const Sampler sampler(
        {.samples = dataset.info().samples, .batch_size = 4, .seed = 3, .bucket_batches = bucket_batches},
        dataset.lengths());
    options.stream.epochs = 2;
    const auto source = kind.make(assembler, sampler, options);
    std::vector<Delivered> all;
    while (const Batch batch = source->next()) {
      const auto* first = reinterpret_cast<const std::int32_t*>(batch->bytes().data());
      const auto indices = batch->indices.first(batch->count);
      all.push_back({{indices.begin(), indices.end()},
                     {first, first + batch->bytes().size() / sizeof(std::int32_t)},
                     batch->tokens,
                     batch->token_places,
                     batch->tokens_cut});
    }
    return all;
  }

  // Returns the samples of one epoch in stored order, each in a batch of its own.
  static std::vector<Delivered> in_order(const Dataset& dataset) {
    const TextAssembler assembler(*dataset.as_text(), OnCorrupt::kFail);
    const auto filler = assembler.make_filler(1);
    BatchPool pool(1, 1, assembler.sample_bytes());
    const Batch batch = pool.acquire();
    std::vector<Delivered> all;
    for (SampleIndex i = 0; i < dataset.info().samples; ++i) {
      batch->count = 1;
      batch->indices[0] = i;
      filler->fill(*batch, Stores::kCached);
      const auto* first = reinterpret_cast<const std::int32_t*>(batch->data.data());
      all.push_back({{i}, {first, first + kTextLength + 1}, batch->tokens, batch->token_places, batch->tokens_cut});
    }
    return all;
  }

  // Returns the text that byte tokens stand for, with '|' for the end of a document.
  static std::string text_of(const std::vector<std::int32_t>& tokens) {
    std::string text;
    for (const std::int32_t token : tokens) {
      if (token == 0) text += '|';
      if (token > 0) text += static_cast<char>(token - 1);
    }
    return text;
  }

  std::string all_text() const {
    std::string text;
    for (const std::string& document : documents_) text += document + '|';
    return text;
  }

  const test::TemporaryDirectory home_;
  std::vector<std::string> documents_;
};

TEST_F(TextSamples, AreTheSameFromEveryLoaderHoweverTheyAreStored) {
  for (const char* name : {"lines.txt", "lines.jsonl", "files"}) {
    for (const Sequences sequences : {Sequences::kPadded, Sequences::kPacked}) {
      for (const std::size_t buckets : {0U, 5U}) {
        if (buckets > 0 && sequences == Sequences::kPacked) continue;
        const auto dataset = open(name, sequences);
        const auto reference = load(*dataset, loader_named("serial"), {}, buckets);
        ASSERT_EQ(reference.size(), 2 * ((dataset->info().samples + 3) / 4));
        for (const LoaderKind& kind : loaders()) {
          if (kind.access) continue;  // reads HDF5 only
          for (const std::size_t workers : {1U, 2U, 5U}) {
            EXPECT_EQ(load(*dataset, kind, {.workers = workers}, buckets), reference) << kind.name << " x " << workers;
          }
        }
        EXPECT_EQ(load(*open(name, sequences, "bytes", true), loader_named("serial"), {}, buckets), reference);
      }
    }
  }
}

TEST_F(TextSamples, AreDocumentsPlusAnEndCutOrPaddedToTheLength) {
  for (const char* name : {"lines.txt", "lines.jsonl", "files"}) {
    const auto dataset = open(name, Sequences::kPadded);
    ASSERT_EQ(dataset->info().samples, documents_.size());
    const auto rows = in_order(*dataset);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string whole = documents_[i] + '|';
      const std::size_t kept = std::min(whole.size(), kTextLength + 1);
      EXPECT_EQ(text_of(rows[i].tokens), whole.substr(0, kept)) << name;
      EXPECT_EQ(std::ranges::count(rows[i].tokens, kNoToken), std::ptrdiff_t(kTextLength + 1 - kept));
      EXPECT_EQ(rows[i].predicted, kept - 1);
      EXPECT_EQ(rows[i].places, kept - 1) << "alone in its batch it is the longest";
      EXPECT_EQ(rows[i].cut, whole.size() - kept);
    }
  }
}

TEST_F(TextSamples, CountPlacesUpToTheLongestInTheirBatch) {
  test::write(home_ / "three.txt", "ab\nabcdef\nabcd\n");
  const auto dataset = open("three.txt", Sequences::kPadded);
  const TextAssembler assembler(*dataset->as_text(), OnCorrupt::kFail);
  BatchPool pool(1, 3, assembler.sample_bytes());
  const Batch batch = pool.acquire();
  batch->count = 3;
  for (SampleIndex i = 0; i < 3; ++i) batch->indices[i] = i;
  assembler.make_filler(3)->fill(*batch, Stores::kCached);
  EXPECT_EQ(batch->tokens, 2U + 6 + 4);
  EXPECT_EQ(batch->token_places, 3 * 6U);
  EXPECT_EQ(assembler.sample_format().dtype, DType::kI32);
  EXPECT_EQ(assembler.sample_format().input, std::vector<std::size_t>{kTextLength + 1});
}

TEST_F(TextSamples, HoldEachByteAndEachEndOnceIfPacked) {
  for (const char* name : {"lines.txt", "files"}) {
    const auto dataset = open(name, Sequences::kPacked);
    std::string text;
    const auto rows = in_order(*dataset);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += text_of(rows[i].tokens);
      EXPECT_EQ(rows[i].cut, 0U);
      if (i + 1 == rows.size()) continue;
      EXPECT_EQ(rows[i].predicted, kTextLength) << "a byte is a token: rows are full";
    }
    EXPECT_EQ(text, all_text());
  }
}

TEST_F(TextSamples, LoseOnlyWhatIsCutIfPackedFromJson) {
  const auto dataset = open("lines.jsonl", Sequences::kPacked);
  std::size_t kept = 0;
  std::size_t cut = 0;
  for (const Delivered& row : in_order(*dataset)) {
    kept += text_of(row.tokens).size();
    cut += row.cut;
  }
  EXPECT_EQ(kept + cut, all_text().size());
  EXPECT_LT(cut, all_text().size() / 4);
}

TEST_F(TextSamples, HaveSimilarLengthsInABucketedBatchAndComeOncePerEpoch) {
  const auto dataset = open("lines.txt", Sequences::kPadded);
  const auto waste = [](const std::vector<Delivered>& batches) {
    std::size_t empty = 0;
    for (const Delivered& batch : batches) empty += batch.places - batch.predicted;
    return empty;
  };
  const auto plain = load(*dataset, loader_named("serial"), {});
  const auto bucketed = load(*dataset, loader_named("serial"), {}, 25);
  EXPECT_LT(2 * waste(bucketed), waste(plain));
  std::map<SampleIndex, int> times;
  for (const Delivered& batch : bucketed) {
    for (const SampleIndex index : batch.indices) ++times[index];
  }
  EXPECT_EQ(times.size(), documents_.size());
  for (const auto& [index, count] : times) EXPECT_EQ(count, 2) << "in two epochs, sample " << index;
}

TEST_F(TextSamples, EndTheFeedNamingTheirLineOrAreSkippedIfCorrupt) {
  const std::string broken =
      "{\"text\": \"one\"}\n\n{\"text\": \"two\"\n{\"other\": \"three\"}\n{\"text\": 4}\n[]\n{\"text\": \"\xff\"}\n";
  test::write(home_ / "broken.jsonl", broken);
  const auto json = open("broken.jsonl", Sequences::kPadded);
  ASSERT_EQ(json->info().samples, 6U);
  const TextAssembler assembler(*json->as_text(), OnCorrupt::kSkip);
  BatchPool pool(1, 6, assembler.sample_bytes());
  const Batch batch = pool.acquire();
  batch->count = 6;
  for (SampleIndex i = 0; i < 6; ++i) batch->indices[i] = i;
  assembler.make_filler(6)->fill(*batch, Stores::kCached);
  EXPECT_EQ(batch->count, 1U);
  const auto skipped = assembler.skipped();
  ASSERT_EQ(skipped.size(), 5U);
  EXPECT_THAT(skipped.at(1), HasSubstr("cannot read line 3 of "));
  EXPECT_THAT(skipped.at(1), HasSubstr("broken.jsonl (sample 1): it is not JSON: byte "));
  EXPECT_THAT(skipped.at(2), HasSubstr("line 4 of "));
  EXPECT_THAT(skipped.at(2), HasSubstr("it has no member text, which --text-key names"));
  EXPECT_THAT(skipped.at(3), HasSubstr("its member text is not a string"));
  EXPECT_THAT(skipped.at(4), HasSubstr("it is not an object"));
  EXPECT_THAT(skipped.at(5), HasSubstr("it is not JSON"));

  test::write(home_ / "latin.txt",
              "fine\nfa\xe7"
              "ade\nfine\nfine\n");
  const auto latin = open("latin.txt", Sequences::kPadded);
  EXPECT_THAT(thrown_by([&] { load(*latin, loader_named("serial"), {}); }).message,
              HasSubstr("latin.txt (sample 1): it is not UTF-8 at its byte 2"));
}

TEST_F(TextSamples, LeaveThePlaceOfACorruptDocumentEmptyIfPacked) {
  test::write(home_ / "latin.txt", "fine\n\xe7\nfine too\n");
  const auto dataset = open("latin.txt", Sequences::kPacked);
  const TextAssembler assembler(*dataset->as_text(), OnCorrupt::kSkip);
  BatchPool pool(1, 1, assembler.sample_bytes());
  const Batch batch = pool.acquire();
  batch->count = 1;
  batch->indices[0] = 0;
  assembler.make_filler(1)->fill(*batch, Stores::kCached);
  ASSERT_EQ(batch->count, 1U);
  const auto* first = reinterpret_cast<const std::int32_t*>(batch->data.data());
  EXPECT_EQ(text_of({first, first + kTextLength + 1}), "fine|fine too|");
  EXPECT_EQ(assembler.skipped().size(), 1U);
}

TEST_F(TextSamples, AllocateNothingWhileTheirBytesArePulled) {
  const auto dataset = open("lines.txt", Sequences::kPacked);
  const TextAssembler assembler(*dataset->as_text(), OnCorrupt::kFail);
  const Sampler sampler({.samples = dataset->info().samples, .batch_size = 4});
  const auto source = loader_named("thread-pool").make(assembler, sampler, {.workers = 2});
  for (int i = 0; i < 12; ++i) source->next();
  const std::size_t before = test::allocations_so_far();
  for (int i = 0; i < 12; ++i) source->next();
  EXPECT_EQ(test::allocations_so_far() - before, 0U);
}

class PiecesOfText : public TextSamples {
 protected:
  void SetUp() override {
    if (!why_no_sentencepiece().empty()) GTEST_SKIP() << why_no_sentencepiece();
  }

  // Trained on the first 2,000,000 bytes of the text of `loadline data make text`, with spm_train --vocab_size=300
  // --model_type=bpe --normalization_rule_name=identity.
  const std::string model_ = std::string(test::kRepository) + "/tests/loaders/support/words.model";
};

TEST_F(PiecesOfText, AreTheSameFromEveryLoader) {
  for (const char* name : {"lines.txt", "lines.jsonl"}) {
    for (const Sequences sequences : {Sequences::kPadded, Sequences::kPacked}) {
      const auto dataset = open(name, sequences, model_);
      const auto reference = load(*dataset, loader_named("serial"), {});
      for (const LoaderKind& kind : loaders()) {
        if (kind.access) continue;
        EXPECT_EQ(load(*dataset, kind, {.workers = 3}), reference) << kind.name;
      }
    }
  }
}

TEST_F(PiecesOfText, EncodeWholeDocumentsIfPadded) {
  const auto dataset = open("lines.txt", Sequences::kPadded, model_);
  const auto& text = *dataset->info().text;
  EXPECT_EQ(text.tokenizer, model_);
  const auto tokenizer = make_tokenizer(model_);
  EXPECT_EQ(text.vocabulary, tokenizer->vocabulary());
  ASSERT_TRUE(tokenizer->end());
  const auto encoder = tokenizer->make_encoder();
  std::vector<std::int32_t> expected(256);
  const auto rows = in_order(*dataset);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t made = encoder->encode(documents_[i], expected);
    EXPECT_GT(made, 0U);
    const std::size_t kept = std::min(made, kTextLength + 1);
    EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + std::ptrdiff_t(kept), rows[i].tokens.begin()));
    EXPECT_EQ(rows[i].cut, made + 1 - std::min(made + 1, kTextLength + 1));
    if (made > kTextLength) continue;
    EXPECT_EQ(rows[i].tokens[made], *tokenizer->end());
  }
}

TEST_F(PiecesOfText, EndEachDocumentOnceOrAreCutIfPacked) {
  const auto dataset = open("lines.txt", Sequences::kPacked, model_);
  const std::int32_t end = *make_tokenizer(model_)->end();
  std::size_t ends = 0;
  std::size_t cut = 0;
  std::size_t made = 0;
  for (const Delivered& row : in_order(*dataset)) {
    ends += static_cast<std::size_t>(std::ranges::count(row.tokens, end));
    cut += row.cut;
    made += row.predicted + row.cut;
  }
  EXPECT_GE(ends + cut, documents_.size());
  EXPECT_LE(ends, documents_.size());
  EXPECT_LT(cut, made / 5) << "rows have about as many tokens as places";
}

TEST_F(PiecesOfText, NeedAValidModel) {
  test::write(home_ / "cut.model", test::bytes_of(model_).substr(0, 300));
  EXPECT_THAT(thrown_by([&] { open("lines.txt", Sequences::kPadded, (home_ / "cut.model").string()); }).message,
              HasSubstr("cut.model: it is not a SentencePiece model"));
  EXPECT_THAT(thrown_by([&] { open("lines.txt", Sequences::kPadded, (home_ / "lines.txt").string()); }).message,
              HasSubstr("lines.txt: it is not a SentencePiece model"));
  EXPECT_THAT(thrown_by([&] { open("lines.txt", Sequences::kPadded, (home_ / "none.model").string()); }).message,
              HasSubstr("none.model"));
}

TEST_F(PiecesOfText, UseTheModelBesideTheText) {
  test::write(home_ / "own" / "train.txt", "one\ntwo\n");
  EXPECT_EQ(open("own", Sequences::kPadded, "auto")->info().text->tokenizer, "bytes");
  test::write(home_ / "own" / "a.model", test::bytes_of(model_));
  EXPECT_EQ(open("own", Sequences::kPadded, "auto")->info().text->tokenizer, (home_ / "own" / "a.model").string());
  EXPECT_EQ(open("own/train.txt", Sequences::kPadded, "auto")->info().text->tokenizer,
            (home_ / "own" / "a.model").string());
  test::write(home_ / "own" / "b.model", test::bytes_of(model_));
  EXPECT_THAT(thrown_by([&] { open("own", Sequences::kPadded, "auto"); }).message, HasSubstr("name the one to use"));
}

}  // namespace
}  // namespace loadline
