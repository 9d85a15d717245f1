#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/cli/at_work.h"
#include "harness/cli/cli.h"
#include "harness/cli/made_kinds.h"
#include "harness/cli/verbs.h"
#include "harness/judge/phrase.h"
#include "loaders/datasets/dataset.h"
#include "loaders/datasets/image_listing.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"
#include "synthetic/convert/convert.h"
#include "synthetic/generate/destination.h"
#include "synthetic/generate/generate.h"
#include "synthetic/generate/nbody.h"
#include "synthetic/generate/photos.h"

namespace loadline {
namespace {

std::string outcome(Generated made) {
  return std::string(made == Generated::kMade ? "made" : kNothingChanged);
}

int make_images(const MakeRequest& request) {
  return at_work(request.directory, request.quiet, [&](const auto& show, const std::stop_token& stop) {
    const auto made =
        generate(request.kind, request.directory,
                 {.samples = request.samples.value_or(GenerateOptions{}.samples), .seed = request.seed}, show, stop);
    return outcome(made);
  });
}

int make_photographs(const MakeRequest& request) {
  PhotosOptions options{.from = request.from, .is_photograph = is_image_name, .seed = request.seed};
  options.samples = request.samples.value_or(options.samples);
  options.width = request.size.value_or(options.width);
  options.height = options.width * 3 / 4;
  return at_work(request.directory, request.quiet, [&](const auto& show, const std::stop_token& stop) {
    make_photos(request.directory, options, show, stop);
    return std::string("made");
  });
}

int make_volume(const MakeRequest& request) {
  NbodyOptions options{.seed = request.seed};
  options.size = request.size.value_or(options.size);
  return at_work(request.directory, request.quiet, [&](const auto& show, const std::stop_token& stop) {
    return outcome(make_nbody(request.directory, options, show, stop));
  });
}

int make_tokens(const MakeRequest& request) {
  TokensOptions options{.seed = request.seed};
  options.tokens = request.size.value_or(options.tokens);
  return at_work(request.directory, request.quiet, [&](const auto& show, const std::stop_token& stop) {
    return outcome(generate_tokens(request.directory, options, show, stop));
  });
}

int make_text(const MakeRequest& request) {
  TextOptions options{.seed = request.seed, .form = text_form_named(request.as.empty() ? "lines" : request.as)};
  options.bytes = request.size.value_or(TextOptions::standard_bytes(options.form));
  return at_work(request.directory, request.quiet, [&](const auto& show, const std::stop_token& stop) {
    return outcome(generate_text(request.directory, options, show, stop));
  });
}

std::vector<MadeKind> all_kinds() {
  std::vector<MadeKind> kinds;
  for (const GeneratorKind& row : generators()) {
    kinds.push_back({.name = row.name, .summary = row.summary, .make = make_images});
  }
  kinds.push_back({.name = "photos",
                   .summary = "a folder per class of photographs, cut from those in --from",
                   .make = make_photographs,
                   .sized = true,
                   .cut_from_others = true});
  kinds.push_back({.name = "nbody",
                   .summary = "two fields on a cube, Nbody and Hydro, in one HDF5 file",
                   .make = make_volume,
                   .sized = true,
                   .no_samples = "nbody is one volume with --size values along each side",
                   .not_images = "the fields of nbody"});
  kinds.push_back({.name = "tokens",
                   .summary = "tokens of a made-up language, with document boundaries",
                   .make = make_tokens,
                   .sized = true,
                   .no_samples = "tokens are one row of --size tokens",
                   .not_images = "tokens"});
  kinds.push_back({.name = "text",
                   .summary = "documents in a made-up language: lines, JSON Lines or files, by --as",
                   .make = make_text,
                   .sized = true,
                   .has_forms = true,
                   .no_samples = "text has as many documents as fill --size bytes"});
  return kinds;
}

int make_plainly(const MadeKind& kind, const MakeRequest& request) {
  if (request.size && !kind.sized) {
    throw usage_error(
        fmt::format("--size: {} has a fixed image size; nbody, photos, tokens and text accept any", kind.name));
  }
  if (request.samples && !kind.no_samples.empty()) throw usage_error(fmt::format("--samples: {}", kind.no_samples));
  if (!request.from.empty() && !kind.cut_from_others) {
    throw usage_error(fmt::format("--from: {} is made from the seed only; only photos are cut from others", kind.name));
  }
  return kind.make(request);
}

// Makes the data in its own format next to the target, and converts both splits from there.
int make_as(const MadeKind& kind, const MakeRequest& request) {
  namespace fs = std::filesystem;
  constexpr std::array<std::string_view, 2> kShards{"webdataset", "tfrecord"};
  if (std::ranges::find(kShards, request.as) == kShards.end()) throw unknown_name("--as", request.as, kShards);
  if (!kind.not_images.empty()) {
    throw usage_error(
        fmt::format("--as {}: {} are not images, and shards hold only images", request.as, kind.not_images));
  }
  const fs::path target = end_of_links("make", request.directory);
  std::error_code ignored;
  if (fs::exists(target, ignored) && !fs::is_empty(target, ignored)) {
    throw Error(fmt::format("cannot make {}: it exists already; name another directory or remove it", target.string()));
  }
  struct Removed {
    fs::path path;
    ~Removed() {
      std::error_code failed;
      fs::remove_all(path, failed);
    }
  };
  const fs::path beside = (target.has_filename() ? target : target.parent_path()).string() + ".making";
  if (fs::exists(beside, ignored)) {
    throw Error(fmt::format("cannot make {}: {} exists already; remove it", target.string(), beside.string()));
  }
  const Removed removed{beside};
  MakeRequest plain = request;
  plain.directory = (beside / "plain").string();
  plain.quiet = true;
  int made = kExitOk;
  write_for(target, beside / "plain", [&] { made = make_plainly(kind, plain); });
  if (made != kExitOk) return made;
  for (const auto& [split, name] : {std::pair{Split::kTrain, "train"}, std::pair{Split::kTest, "val"}}) {
    const auto dataset = open_dataset(plain.directory, {.split = split});
    const int code = at_work(target.string(), request.quiet, [&](const auto& show, const std::stop_token& stop) {
      fs::create_directories(beside / "shards");
      write_for(target, beside / "shards",
                [&] { convert(*dataset, beside / "shards" / name, {.format = request.as}, show, stop); });
      return fmt::format("{} made, {}", name, plural(dataset->info().samples, "sample"));
    });
    if (code != kExitOk) return code;
  }
  write_for(target, beside / "shards", [&] {
    if (target.has_parent_path()) fs::create_directories(target.parent_path());
    fs::rename(beside / "shards", target);
  });
  return kExitOk;
}

}  // namespace

std::span<const MadeKind> made_kinds() {
  static const std::vector<MadeKind> kKinds = all_kinds();
  return kKinds;
}

int data_make_verb(const MakeRequest& request) {
  const MadeKind& kind = row_named(made_kinds(), "kind of dataset", request.kind);
  return request.as.empty() || kind.has_forms ? make_plainly(kind, request) : make_as(kind, request);
}

}  // namespace loadline
