#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
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

std::string make_images(const MakeRequest& request, const ShowDone& show, const std::stop_token& stop) {
  return outcome(generate(request.kind, request.directory,
                          {.samples = request.samples.value_or(GenerateOptions{}.samples), .seed = request.seed}, show,
                          stop));
}

std::string make_photographs(const MakeRequest& request, const ShowDone& show, const std::stop_token& stop) {
  PhotosOptions options{.from = request.from, .is_photograph = is_image_name, .seed = request.seed};
  options.samples = request.samples.value_or(options.samples);
  options.width = request.size.value_or(options.width);
  options.height = options.width * 3 / 4;
  return outcome(make_photos(request.directory, options, show, stop));
}

std::string make_volume(const MakeRequest& request, const ShowDone& show, const std::stop_token& stop) {
  NbodyOptions options{.seed = request.seed};
  options.size = request.size.value_or(options.size);
  return outcome(make_nbody(request.directory, options, show, stop));
}

std::string make_tokens(const MakeRequest& request, const ShowDone& show, const std::stop_token& stop) {
  TokensOptions options{.seed = request.seed};
  options.tokens = request.size.value_or(options.tokens);
  return outcome(generate_tokens(request.directory, options, show, stop));
}

std::string make_text(const MakeRequest& request, const ShowDone& show, const std::stop_token& stop) {
  TextOptions options{.seed = request.seed, .form = text_form_named(request.as.empty() ? "lines" : request.as)};
  options.bytes = request.size.value_or(TextOptions::standard_bytes(options.form));
  return outcome(generate_text(request.directory, options, show, stop));
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
                     .others = kOfImages,
                     .least_in_folder = row.classes * row.train_per_test});
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

void refuse_options_of_other_kinds(const MadeKind& kind, const MakeRequest& request) {
  if (request.size && !kind.sized) {
    throw usage_error(
        fmt::format("--size: {} has a fixed image size; nbody, photos, tokens and text accept any", kind.name));
  }
  if (request.samples && !kind.no_samples.empty()) throw usage_error(fmt::format("--samples: {}", kind.no_samples));
  if (!request.from.empty() && !kind.cut_from_others) {
    throw usage_error(fmt::format("--from: {} is made from the seed only; only photos are cut from others", kind.name));
  }
}

int make_plainly(const MadeKind& kind, const MakeRequest& request) {
  return at_work(request.directory, request.quiet,
                 [&](const auto& show, const std::stop_token& stop) { return kind.make(request, show, stop); });
}

// ---- in another format than its own

// "10 samples"; empty for a volume.
std::string amount_words(const DatasetInfo& info) {
  if (info.text) return plural(info.text->documents, "document");
  return info.labelled() ? plural(info.samples, "sample") : "";
}

// A dataset among those that are made, and the split that it comes from.
struct MadePart {
  std::string name;  // below the directory; empty: it is all that is made
  Split split;

  fs::path in(const fs::path& target) const { return name.empty() ? target : target / name; }
};

std::vector<MadePart> parts_of(const MadeKind& kind, std::string_view format) {
  if (kind.one_split) return {{"", Split::kTrain}};
  const std::string_view ending = row_named(convert_formats(), "--as", format).ending;
  return {{fmt::format("train{}", ending), Split::kTrain}, {fmt::format("val{}", ending), Split::kTest}};
}

// Passes to `use` the samples of a split of what was made in `plain`, and returns what it returns.
template <typename Use>
auto with_split(const fs::path& plain, Split split, std::string_view format, const Use& use) {
  const auto made = open_dataset(plain, {.split = split});
  // A folder has its samples in the order of their classes.
  const auto sorted = format == "jpeg" ? in_order_of_classes(*made) : nullptr;
  return use(sorted ? *sorted : *made);
}

// Refuses at once what cannot be the same data. To compare the rest, they have to be made again.
void expect_parts(const fs::path& target, const fs::path& shown, std::span<const MadePart> parts) {
  std::error_code code;
  if (!fs::is_directory(target, code)) throw something_else(shown, "not a directory");
  if (parts.front().name.empty()) return;
  std::set<std::string> names;
  for (auto entry = fs::directory_iterator(target, code); !code && entry != fs::directory_iterator();
       entry.increment(code)) {
    names.insert(entry->path().filename());
  }
  if (code) throw Error(fmt::format("cannot list {}: {}", shown.string(), code.message()));
  for (const MadePart& part : parts) {
    if (names.erase(part.name) == 0) throw something_else(shown, fmt::format("without {}", part.name));
  }
  if (!names.empty()) throw something_else(shown, fmt::format("holding {}", *names.begin()));
}

// Throws Error unless `target` holds what was made in `plain`, converted.
void expect_copies(const MadeKind& kind, const MakeRequest& request, const fs::path& plain, const fs::path& target,
                   const std::stop_token& stop) {
  const auto parts = parts_of(kind, request.as);
  expect_parts(target, target, parts);
  for (const MadePart& part : parts) {
    const bool same = with_split(plain, part.split, request.as, [&](const Dataset& samples) {
      return is_converted(samples, part.in(target), {.format = request.as}, stop);
    });
    if (same) continue;
    throw something_else(target, part.name.empty() ? "other data" : fmt::format("{} differs in content", part.name));
  }
}

// Converts all splits of what was made in `plain` to `target`. Returns the outcome; empty, with nothing written, if
// another process has made something there in the meantime.
std::string convert_all(const MadeKind& kind, const MakeRequest& request, const fs::path& plain, const fs::path& target,
                        const ShowDone& show, const std::stop_token& stop) {
  const ConvertOptions options{.format = request.as};
  if (kind.one_split) {
    const bool made = with_split(plain, Split::kTrain, request.as, [&](const Dataset& samples) {
      return convert(samples, target, options, show, stop) == Converted::kMade;
    });
    return made ? "made" : "";
  }
  AtomicDirectory copy(target);
  std::string words;
  write_for(target, copy.temporary(), [&] {
    for (const MadePart& part : parts_of(kind, request.as)) {
      const std::string amount = with_split(plain, part.split, request.as, [&](const Dataset& samples) {
        convert(samples, part.in(copy.temporary()), options, show, stop);
        return amount_words(samples.info());
      });
      words += fmt::format("{}{} in {}", words.empty() ? "made, " : " and ", amount, part.name);
    }
  });
  return commit_unless_taken(copy, target) ? words : "";
}

// Makes the data in its own format next to `target`, and converts it from there, or compares it with what is there.
// Returns the outcome.
std::string make_and_convert(const MadeKind& kind, const MakeRequest& request, const fs::path& target,
                             const ShowDone& show, const std::stop_token& stop) {
  Parents parents(target, request.directory);
  parents.make();
  const AtomicDirectory workplace(target, "plain");  // never committed: removed at the end
  MakeRequest plain = request;
  plain.directory = (workplace.temporary() / "data").string();
  plain.as.clear();
  std::string words;
  make_for(target, workplace.temporary(), [&] {
    kind.make(plain, show, stop);
    if (!is_taken(target)) words = convert_all(kind, request, plain.directory, target, show, stop);
    if (!words.empty()) return;
    expect_copies(kind, request, plain.directory, target, stop);
    words = kNothingChanged;
  });
  parents.keep();
  return words;
}

// A folder has no class without samples, so val, the smaller split, has at least one of each.
void refuse_too_few_for_folder(const MadeKind& kind, const MakeRequest& request) {
  if (request.as != "jpeg" || !request.samples || *request.samples >= kind.least_in_folder) return;
  throw usage_error(fmt::format("--samples {}: want at least {} for --as jpeg, so that val has every class",
                                *request.samples, kind.least_in_folder));
}

int make_as(const MadeKind& kind, const MakeRequest& request) {
  refuse_too_few_for_folder(kind, request);
  const fs::path target = resolved_destination("make", request.directory);
  if (is_taken(target)) expect_parts(target, request.directory, parts_of(kind, request.as));
  return at_work(request.directory, request.quiet, [&](const auto& show, const std::stop_token& stop) {
    std::string words;
    write_for(request.directory, target, [&] { words = make_and_convert(kind, request, target, show, stop); });
    return words;
  });
}

}  // namespace

std::span<const MadeKind> made_kinds() {
  static const std::vector<MadeKind> kKinds = all_kinds();
  return kKinds;
}

int data_make_verb(const MakeRequest& request) {
  const MadeKind& kind = row_named(made_kinds(), "kind of dataset", request.kind);
  const auto is_one_of = [&](Formats formats) { return std::ranges::find(formats, request.as) != formats.end(); };
  const bool plain = request.as.empty() || is_one_of(kind.own);
  if (!plain && !is_one_of(kind.others)) {
    std::vector<std::string_view> possible(kind.own.begin(), kind.own.end());
    possible.insert(possible.end(), kind.others.begin(), kind.others.end());
    throw unknown_name(fmt::format("--as of {}", kind.name), request.as, possible);
  }
  refuse_options_of_other_kinds(kind, request);
  return plain ? make_plainly(kind, request) : make_as(kind, request);
}

}  // namespace loadline
