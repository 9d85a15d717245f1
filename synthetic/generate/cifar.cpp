// The binary versions of CIFAR-10 and CIFAR-100 (Krizhevsky: "Learning multiple layers of features from tiny images",
// 2009): records of one or two label bytes and three planes of 32 x 32 bytes.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "synthetic/generate/layout.h"
#include "synthetic/generate/texture.h"

namespace loadline {
namespace {

constexpr std::array<std::string_view, 10> kNames10{"airplane", "automobile", "bird",  "cat",  "deer",
                                                    "dog",      "frog",       "horse", "ship", "truck"};

constexpr std::array<std::string_view, 20> kCoarseNames{
    "aquatic_mammals",
    "fish",
    "flowers",
    "food_containers",
    "fruit_and_vegetables",
    "household_electrical_devices",
    "household_furniture",
    "insects",
    "large_carnivores",
    "large_man-made_outdoor_things",
    "large_natural_outdoor_scenes",
    "large_omnivores_and_herbivores",
    "medium_mammals",
    "non-insect_invertebrates",
    "people",
    "reptiles",
    "small_mammals",
    "trees",
    "vehicles_1",
    "vehicles_2",
};

struct FineClass {
  std::string_view name;
  std::uint8_t coarse;
};

constexpr std::array<FineClass, 100> kFineClasses{{
    {"apple", 4},     {"aquarium_fish", 1}, {"baby", 14},       {"bear", 8},          {"beaver", 0},
    {"bed", 6},       {"bee", 7},           {"beetle", 7},      {"bicycle", 18},      {"bottle", 3},
    {"bowl", 3},      {"boy", 14},          {"bridge", 9},      {"bus", 18},          {"butterfly", 7},
    {"camel", 11},    {"can", 3},           {"castle", 9},      {"caterpillar", 7},   {"cattle", 11},
    {"chair", 6},     {"chimpanzee", 11},   {"clock", 5},       {"cloud", 10},        {"cockroach", 7},
    {"couch", 6},     {"crab", 13},         {"crocodile", 15},  {"cup", 3},           {"dinosaur", 15},
    {"dolphin", 0},   {"elephant", 11},     {"flatfish", 1},    {"forest", 10},       {"fox", 12},
    {"girl", 14},     {"hamster", 16},      {"house", 9},       {"kangaroo", 11},     {"keyboard", 5},
    {"lamp", 5},      {"lawn_mower", 19},   {"leopard", 8},     {"lion", 8},          {"lizard", 15},
    {"lobster", 13},  {"man", 14},          {"maple_tree", 17}, {"motorcycle", 18},   {"mountain", 10},
    {"mouse", 16},    {"mushroom", 4},      {"oak_tree", 17},   {"orange", 4},        {"orchid", 2},
    {"otter", 0},     {"palm_tree", 17},    {"pear", 4},        {"pickup_truck", 18}, {"pine_tree", 17},
    {"plain", 10},    {"plate", 3},         {"poppy", 2},       {"porcupine", 12},    {"possum", 12},
    {"rabbit", 16},   {"raccoon", 12},      {"ray", 1},         {"road", 9},          {"rocket", 19},
    {"rose", 2},      {"sea", 10},          {"seal", 0},        {"shark", 1},         {"shrew", 16},
    {"skunk", 12},    {"skyscraper", 9},    {"snail", 13},      {"snake", 15},        {"spider", 13},
    {"squirrel", 16}, {"streetcar", 19},    {"sunflower", 2},   {"sweet_pepper", 4},  {"table", 6},
    {"tank", 19},     {"telephone", 5},     {"television", 5},  {"tiger", 8},         {"tractor", 19},
    {"train", 18},    {"trout", 1},         {"tulip", 2},       {"turtle", 15},       {"wardrobe", 6},
    {"whale", 0},     {"willow_tree", 17},  {"wolf", 8},        {"woman", 14},        {"worm", 13},
}};

constexpr std::size_t kTrainFiles10 = 5;

using SharedPainter = std::shared_ptr<const TexturePainter>;

FillRecord fill10(const SplitPlan& split, SharedPainter painter) {
  return [split, painter = std::move(painter)](std::size_t index, std::span<std::uint8_t> record) {
    const std::uint8_t label = balanced_label(split, index, kNames10.size());
    record[0] = label;
    painter->paint(label, picture_key(split, index), record.subspan<1, TexturePainter::kBytes>());
  };
}

FillRecord fill100(const SplitPlan& split, SharedPainter painter) {
  return [split, painter = std::move(painter)](std::size_t index, std::span<std::uint8_t> record) {
    const std::uint8_t label = balanced_label(split, index, kFineClasses.size());
    record[0] = kFineClasses[label].coarse;
    record[1] = label;
    painter->paint(label, picture_key(split, index), record.subspan<2, TexturePainter::kBytes>());
  };
}

PlannedFile names_file(std::string name, std::span<const std::string_view> names) {
  std::string lines;
  for (const std::string_view line : names) lines.append(line).append("\n");
  return {.name = std::move(name), .header = std::move(lines)};
}

PlannedFile samples10(std::string name, std::size_t first, std::size_t count, FillRecord fill) {
  return {.name = std::move(name),
          .first = first,
          .records = count,
          .record_bytes = 1 + TexturePainter::kBytes,
          .fill = std::move(fill)};
}

PlannedFile samples100(std::string name, std::size_t count, FillRecord fill) {
  return {
      .name = std::move(name), .records = count, .record_bytes = 2 + TexturePainter::kBytes, .fill = std::move(fill)};
}

}  // namespace

std::vector<PlannedFile> cifar10_files(std::uint64_t seed, const SplitPlan& train, const SplitPlan& test) {
  const auto painter = std::make_shared<const TexturePainter>(seed, kNames10.size());
  const FillRecord fill = fill10(train, painter);
  std::vector<PlannedFile> files;
  std::size_t first = 0;
  for (std::size_t file = 0; file < kTrainFiles10; ++file) {
    const std::size_t count = train.samples / kTrainFiles10 + (file < train.samples % kTrainFiles10 ? 1 : 0);
    files.push_back(samples10(fmt::format("data_batch_{}.bin", file + 1), first, count, fill));
    first += count;
  }
  files.push_back(samples10("test_batch.bin", 0, test.samples, fill10(test, painter)));
  files.push_back(names_file("batches.meta.txt", kNames10));
  return files;
}

std::vector<PlannedFile> cifar100_files(std::uint64_t seed, const SplitPlan& train, const SplitPlan& test) {
  const auto painter = std::make_shared<const TexturePainter>(seed, kFineClasses.size());
  std::vector<std::string_view> fine_names;
  fine_names.reserve(kFineClasses.size());
  for (const FineClass& fine : kFineClasses) fine_names.push_back(fine.name);
  return {samples100("train.bin", train.samples, fill100(train, painter)),
          samples100("test.bin", test.samples, fill100(test, painter)), names_file("fine_label_names.txt", fine_names),
          names_file("coarse_label_names.txt", kCoarseNames)};
}

}  // namespace loadline
