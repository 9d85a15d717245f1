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
#include "synthetic/convert/class_order.h"
#include "synthetic/convert/convert.h"
#include "synthetic/generate/destination.h"
#include "synthetic/generate/generate.h"
#include "synthetic/generate/nbody.h"
#include "synthetic/generate/photos.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

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

using Formats = std::span<const std::string_view>;

constexpr std::array<std::string_view, 1> kFolder{"jpeg"};
constexpr std::array<std::string_view, 1> kHdf5{"hdf5"};
constexpr std::array<std::string_view, 1> kTokens{"tokens"};
constexpr std::array<std::string_view, 3> kText{"lines", "json-lines", "files"};
constexpr std::array<std::string_view, 6> kOfImages{"hdf5", "npy", "npz", "jpeg", "webdataset", "tfrecord"};
constexpr std::array<std::string_view, 5> kOfPhotos{"hdf5", "npy", "npz", "webdataset", "tfrecord"};
constexpr std::array<std::string_view, 1> kOfVolumes{"npy"};

std::vector<MadeKind> all_kinds() {
  std::vector<MadeKind> kinds;
  for (const GeneratorKind& row : generators()) {
    kinds.push_back({.name = row.name,
                     .summary = row.summary,
                     .make = make_images,
                     .own = Formats(&row.format, 1),
                     .others = kOfImages});
  }
  kinds.push_back({.name = "photos",
                   .summary = "a folder per class of photographs, cut from those in --from",
                   .make = make_photographs,
                   .own = kFolder,
                   .others = kOfPhotos,
                   .sized = true,
                   .cut_from_others = true});
  kinds.push_back({.name = "nbody",
                   .summary = "two fields on a cube, Nbody and Hydro, in one HDF5 file",
                   .make = make_volume,
                   .own = kHdf5,
                   .others = kOfVolumes,
                   .sized = true,
                   .one_split = true,
                   .no_samples = "nbody is one volume with --size values along each side"});
  kinds.push_back({.name = "tokens",
                   .summary = "tokens of a made-up language, with document boundaries",
                   .make = make_tokens,
                   .own = kTokens,
                   .sized = true,
                   .no_samples = "tokens are one row of --size tokens"});
  kinds.push_back({.name = "text",
                   .summary = "documents in a made-up language: lines, JSON Lines or files, by --as",
                   .make = make_text,
                   .own = kText,
                   .others = kTokens,
                   .sized = true,
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

struct RemovedAtEnd {
  fs::path path;
  ~RemovedAtEnd() {
    std::error_code failed;
    fs::remove_all(path, failed);
  }
};

// Where to work next to `target`, where nothing may be yet.
fs::path workplace_of(const fs::path& target) {
  std::error_code ignored;
  if (fs::exists(target, ignored) && !fs::is_empty(target, ignored)) {
    throw Error(fmt::format("cannot make {}: it exists already; name another directory or remove it", target.string()));
  }
  fs::path beside = (target.has_filename() ? target : target.parent_path()).string() + ".making";
  if (fs::exists(beside, ignored)) {
    throw Error(fmt::format("cannot make {}: {} exists already; remove it", target.string(), beside.string()));
  }
  return beside;
}

std::string copied_words(const DatasetInfo& info) {
  if (info.text) return fmt::format("made, {}", plural(info.text->documents, "document"));
  return info.labelled() ? fmt::format("made, {}", plural(info.samples, "sample")) : "made";
}

// A folder has its samples in the order of their classes.
void write_copy(const Dataset& made, const fs::path& to, std::string_view format, const ShowDone& show,
                const std::stop_token& stop) {
  const auto sorted = format == "jpeg" ? in_order_of_classes(made) : nullptr;
  convert(sorted ? *sorted : made, to, {.format = format}, show, stop);
}

// Converts each split of `plain` to a place in `copy`, or the only one to `copy` itself, which messages call by the
// name that was requested. Returns an exit code.
int copy_splits(const MadeKind& kind, const MakeRequest& request, const fs::path& plain, const fs::path& copy) {
  const auto copy_one = [&](Split split, const fs::path& to, std::string_view before) {
    const auto dataset = open_dataset(plain, {.split = split});
    return at_work(request.directory, request.quiet, [&](const auto& show, const std::stop_token& stop) {
      write_for(request.directory, copy, [&] { write_copy(*dataset, to, request.as, show, stop); });
      return fmt::format("{}{}", before, copied_words(dataset->info()));
    });
  };
  if (kind.one_split) return copy_one(Split::kTrain, copy, "");
  fs::create_directory(copy);
  const std::string_view ending = row_named(convert_formats(), "--as", request.as).ending;
  const int code = copy_one(Split::kTrain, copy / fmt::format("train{}", ending), "train ");
  return code == kExitOk ? copy_one(Split::kTest, copy / fmt::format("val{}", ending), "val ") : code;
}

// Makes the data in its own format next to the target, and converts it from there.
int make_as(const MadeKind& kind, const MakeRequest& request) {
  const fs::path target = end_of_links("make", request.directory);
  const fs::path beside = workplace_of(target);
  Parents parents(fs::absolute(beside));
  const RemovedAtEnd removed{beside};
  write_for(target, beside, [&] {
    parents.make();
    fs::create_directory(beside);
  });
  MakeRequest plain = request;
  plain.directory = (beside / "plain").string();
  plain.as.clear();
  plain.quiet = true;
  int code = kExitOk;
  write_for(target, plain.directory, [&] { code = make_plainly(kind, plain); });
  if (code != kExitOk) return code;
  const fs::path copy = beside / "copy";
  write_for(target, copy, [&] {
    code = copy_splits(kind, request, plain.directory, copy);
    if (code == kExitOk) fs::rename(copy, target);
  });
  if (code == kExitOk) parents.keep();
  return code;
}

}  // namespace

std::span<const MadeKind> made_kinds() {
  static const std::vector<MadeKind> kKinds = all_kinds();
  return kKinds;
}

int data_make_verb(const MakeRequest& request) {
  const MadeKind& kind = row_named(made_kinds(), "kind of dataset", request.kind);
  const auto is_one_of = [&](Formats formats) { return std::ranges::find(formats, request.as) != formats.end(); };
  if (request.as.empty() || is_one_of(kind.own)) return make_plainly(kind, request);
  if (is_one_of(kind.others)) return make_as(kind, request);
  std::vector<std::string_view> possible(kind.own.begin(), kind.own.end());
  possible.insert(possible.end(), kind.others.begin(), kind.others.end());
  throw unknown_name(fmt::format("--as of {}", kind.name), request.as, possible);
}

}  // namespace loadline
