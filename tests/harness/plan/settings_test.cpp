#include "harness/plan/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "harness/plan/data_kinds.h"
#include "tests/harness/support/option_values.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

// Options for other data and other computes than those of unusual().
bool is_for_others(const OptionRow& row) {
  constexpr DataKinds kNotForTokens = kAnyData & ~(kTokenData | kTextData);
  return (row.data & kNotForTokens) == 0 || row.name == "precision" || row.name == "fusion" ||
         row.name == "compute-threads";
}

// A cell whose settings all differ from their defaults. Axes that are not named here have a value made from their row.
Cell unusual() {
  RunOptions options{.workloads = {"cifar10"},
                     .modes = {"full"},
                     .loaders = {"thread-pool"},
                     .workers = {3},
                     .batch_sizes = {96},
                     .data = "/mine",
                     .format = "cifar100",
                     .split = "test",
                     .labels = "coarse",
                     .read = "uring",
                     .reads_in_flight = 7,
                     .read_ahead = 9,
                     .cache = "as-is",
                     .in_memory = true,
                     .hdf5_images = "x",
                     .hdf5_labels = "y",
                     .crops = 17,
                     .dtype = "bf16",
                     .layout = "nhwc",
                     .mean = {0.5, 0.25, 0},
                     .stddev = {1, 2, 3},
                     .crop_padding = 7,
                     .flip = "on",
                     .image_size = 96,
                     .crop = "centre",
                     .decoder = "opencv",
                     .turn_upright = true,
                     .scaled_dct = true,
                     .on_corrupt = "skip",
                     .crop_edge = 32,
                     .rotate = "off",
                     .kernels = "scalar",
                     .order = "page-shuffled",
                     .page_samples = 8,
                     .window_samples = 80,
                     .seed = 11,
                     .rank = 2,
                     .world_size = 5,
                     .drop_last = true,
                     .prefetch = 6,
                     .delivery = "completion",
                     .stores = "streaming",
                     .compute = "device:samples_per_second=5",
                     .placement = "pin:3"};
  for (const OptionRow& row : run_options()) {
    if (!row.axis || is_for_others(row) || read_option(options, row) != read_option(RunOptions(), row)) continue;
    write_option(options, row, test::other_value(row).value().text);
  }
  options.given.clear();  // those for volumes would be refused
  return make_plan(options, {.threads_in_force = 4, .cpus = {0, 1, 2, 3}, .data_directory = "/data"}).cells.front();
}

TEST(Settings, HaveUniqueNames) {
  std::set<std::string_view> names;
  for (const SettingRow& row : settings()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(Settings, OfATaskAreSettings) {
  for (const std::string_view name : task_settings()) EXPECT_EQ(setting_named("task", name).name, name);
  EXPECT_TRUE(is_task("sequence_length"));
  EXPECT_FALSE(is_task("workers"));
}

TEST(Settings, AreWrittenBackAsTheyWereRead) {
  const Cell cell = unusual();
  Cell copy;
  for (const SettingRow& row : settings()) row.write(copy, row.read(cell));
  for (const SettingRow& row : settings()) EXPECT_EQ(row.read(copy), row.read(cell)) << row.name;
  EXPECT_EQ(key_of(copy), key_of(cell));
  EXPECT_EQ(copy.photo.shorter_side, cell.photo.shorter_side);
  EXPECT_EQ(copy.photo.mean, cell.photo.mean);
  EXPECT_EQ(copy.volume.seed, 11U);
  EXPECT_EQ(copy.dataset, cell.dataset);
}

TEST(Settings, DifferFromThoseOfAPlainCell) {
  const Cell cell = unusual();
  const std::set<std::string_view> not_of_options{"worker_cpus", "worker_nodes", "slot_node", "data_nodes"};
  const auto is_excepted = [&](std::string_view setting) {
    return not_of_options.contains(setting) || std::ranges::any_of(run_options(), [&](const OptionRow& row) {
             return key_of(row) == setting && is_for_others(row);
           });
  };
  for (const SettingRow& row : settings()) {
    if (is_excepted(row.name)) continue;
    EXPECT_NE(text_of(row.read(cell)), text_of(row.read(Cell{.mode = Mode::kIo, .compute = "drain"}))) << row.name;
  }
}

TEST(Settings, ThatDoNotApplyHaveNoValue) {
  const Cell synthetic{.workload = "mnist", .mode = Mode::kSynthetic, .compute = "drain"};
  for (const char* name :
       {"loader", "workers", "prefetch", "delivery", "stores", "read", "reads_in_flight", "read_ahead", "cache",
        "order", "kernels", "page_samples", "precision", "fusion", "compute_threads"}) {
    EXPECT_EQ(setting_named("setting", name).read(synthetic), SettingValue()) << name;
  }
}

TEST(Settings, OfTokensApplyOnlyToTokens) {
  Cell cell{.mode = Mode::kIo, .compute = "drain"};
  for (const char* name : {"token_type", "sequence_length", "sequences"}) {
    EXPECT_EQ(setting_named("setting", name).read(cell), SettingValue()) << name;
    EXPECT_TRUE(setting_named("setting", name).late) << name;
  }
  cell.dataset.sequence_length = 64;
  cell.dataset.sequences = Sequences::kDocuments;
  cell.dataset.token_bytes = 4;
  Cell copy;
  for (const SettingRow& row : settings()) row.write(copy, row.read(cell));
  EXPECT_EQ(copy.dataset.sequence_length, 64U);
  EXPECT_EQ(copy.dataset.token_bytes, 4U);
  EXPECT_EQ(text_of(setting_named("setting", "token_type").read(copy)), "u32");
  EXPECT_EQ(text_of(setting_named("setting", "sequences").read(copy)), "documents");
}

TEST(Settings, OfTextApplyOnlyToText) {
  Cell cell{.mode = Mode::kIo, .compute = "drain"};
  cell.dataset.sequence_length = 64;
  const auto expect_none = [&] {
    for (const char* name : {"tokenizer", "text_key", "documents", "bucket_batches"}) {
      EXPECT_EQ(setting_named("setting", name).read(cell), SettingValue()) << name;
      EXPECT_TRUE(setting_named("setting", name).late) << name;
    }
  };
  expect_none();
  cell.dataset.sequences = Sequences::kPacked;
  EXPECT_EQ(setting_named("setting", "token_type").read(cell), SettingValue());
  cell.dataset.tokenizer = "words.model";
  cell.dataset.text_key = "body";
  cell.dataset.documents = TextDocuments::kFiles;
  cell.sampler.bucket_batches = 50;
  Cell copy;
  for (const SettingRow& row : settings()) row.write(copy, row.read(cell));
  EXPECT_EQ(copy.dataset.sequences, Sequences::kPacked);
  EXPECT_EQ(copy.dataset.tokenizer, "words.model");
  EXPECT_EQ(copy.dataset.text_key, "body");
  EXPECT_EQ(copy.dataset.documents, TextDocuments::kFiles);
  EXPECT_EQ(copy.sampler.bucket_batches, 50U);
}

TEST(Settings, OfNumaNodesApplyOnlyToPlacementsByNode) {
  Cell cell{.mode = Mode::kIo, .compute = "drain"};
  for (const char* name : {"worker_nodes", "slot_node", "data_nodes"}) {
    EXPECT_EQ(setting_named("setting", name).read(cell), SettingValue()) << name;
    EXPECT_TRUE(setting_named("setting", name).late) << name;
  }
  cell.placement.name = "numa:replicate";
  cell.placement.turns = {1, 0};
  cell.placement.slot_node = 1;
  cell.dataset.memory = {.nodes = {1, 0}, .replicated = true};
  Cell copy;
  for (const SettingRow& row : settings()) row.write(copy, row.read(cell));
  EXPECT_EQ(text_of(setting_named("setting", "worker_nodes").read(copy)), "1,0");
  EXPECT_EQ(copy.placement.slot_node, 1U);
  EXPECT_EQ(copy.dataset.memory, cell.dataset.memory);
}

TEST(Settings, RefuseValuesOfTheWrongKind) {
  Cell cell;
  const auto refusal = [&](const char* name, const SettingValue& value) {
    return test::thrown_by([&] { setting_named("setting", name).write(cell, value); });
  };
  EXPECT_EQ(refusal("batch_size", std::string("many")), test::failed("want a whole number, got 'many'"));
  EXPECT_EQ(refusal("batch_size", 1.5), test::failed("want a whole number, got '1.5'"));
  EXPECT_EQ(refusal("dtype", std::string("f64")), test::failed("want one of u8, f32, bf16, i32, got 'f64'"));
  EXPECT_EQ(refusal("rotate", std::string("maybe")), test::failed("want on or off, got 'maybe'"));
  EXPECT_EQ(refusal("mean", true), test::failed("want a list of numbers, got 'true'"));
  EXPECT_EQ(refusal("batch_size", {}), test::failed("want a whole number, got ''"));
}

TEST(Settings, MakeKeysOfTheRequestedParts) {
  const Cell cell = unusual();
  Cell other = cell;
  other.workers = 8;
  EXPECT_NE(key_of(cell), key_of(other));
  EXPECT_EQ(key_of(cell, {SettingPart::kSubject, SettingPart::kCompute}),
            key_of(other, {SettingPart::kSubject, SettingPart::kCompute}));
  EXPECT_EQ(key_of(cell, kAllParts, "workers"), key_of(other, kAllParts, "workers"));
}

TEST(Settings, NameTheAxesOfACell) {
  Cell cell = unusual();
  cell.axes = {"prefetch", "dtype", "fusion"};
  EXPECT_EQ(axes_text(cell, kAllParts), "/prefetch:6/dtype:bf16") << "drain has no fusion";
  EXPECT_EQ(axes_text(cell, {SettingPart::kSubject}), "/dtype:bf16");
}

TEST(Settings, AreFoundInTheAxesOfAName) {
  using Axes = std::vector<std::string_view>;
  EXPECT_EQ(axes_in(""), Axes());
  EXPECT_EQ(axes_in("/prefetch:6/dtype:bf16"), (Axes{"prefetch:6", "dtype:bf16"}));
  EXPECT_EQ(axes_in("/compute:./a/b.py:step/dtype:u8"), (Axes{"compute:./a/b.py:step", "dtype:u8"}));
}

}  // namespace
}  // namespace loadline
