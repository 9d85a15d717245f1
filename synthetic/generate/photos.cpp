#include "synthetic/generate/photos.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/storage/file.h"
#include "loaders/storage/new_file.h"
#include "loaders/transforms/opencv.h"
#include "synthetic/generate/destination.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTrainPerVal = 10;
constexpr std::size_t kMostFileBytes = std::size_t{1} << 30U;

void check(const PhotosOptions& options) {
  if (options.from.empty()) {
    throw usage_error(
        "--from: photos are cropped from existing photographs, name their directory; Debian's package "
        "lomiri-wallpapers-16.04 puts some into /usr/share/backgrounds");
  }
  if (options.width < 16 || options.height < 16 || options.width > 8192 || options.height > 8192) {
    throw usage_error(fmt::format("--size {}x{}: want 16 to 8192 pixels each way", options.width, options.height));
  }
  if (options.quality < 1 || options.quality > 100) {
    throw usage_error(fmt::format("--quality {}: want 1 to 100", options.quality));
  }
}

// Files whose names are those of photographs, of any size, in the order of their paths.
std::vector<fs::path> photographs_in(const PhotosOptions& options) {
  std::error_code code;
  std::vector<fs::path> files;
  auto entry = fs::recursive_directory_iterator(options.from, code);
  for (; !code && entry != fs::recursive_directory_iterator(); entry.increment(code)) {
    const bool wanted = options.is_photograph(entry->path().filename().native());
    if (wanted && entry->is_regular_file(code)) files.push_back(entry->path());
  }
  if (code) throw Error(fmt::format("cannot read {}: {}", options.from.string(), code.message()));
  std::ranges::sort(files);
  return files;
}

// The classes: the photographs' names, with a number where an earlier class has the name.
std::vector<std::string> class_names(std::span<const fs::path> files) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t label = 0; label < files.size(); ++label) {
    const std::string stem = files[label].stem().string();
    std::string name = stem;
    for (std::size_t number = label; !taken.insert(name).second; ++number) name = fmt::format("{}-{}", stem, number);
    names.push_back(std::move(name));
  }
  return names;
}

ImageSize open(OpenCvDecoder& decoder, const fs::path& path) {
  const std::string encoded = read_text(path, kMostFileBytes);
  try {
    return decoder.open(std::as_bytes(std::span(encoded)), true);
  } catch (const Error& error) {
    throw Error(fmt::format("cannot read {}: {}", path.string(), error.what()));
  }
}

// A crop with the proportions of the output, whose sides are a quarter to all of those of the largest such crop.
Region part_of(const ImageSize& photograph, const PhotosOptions& options, Random& random) {
  const auto wide = static_cast<double>(options.width);
  const auto high = static_cast<double>(options.height);
  const double fit =
      std::min(static_cast<double>(photograph.width) / wide, static_cast<double>(photograph.height) / high);
  const double scale = fit * (0.25 + 0.75 * (random.below(1U << 16U) / 65536.0));
  const auto width = std::clamp<std::size_t>(static_cast<std::size_t>(scale * wide), 1, photograph.width);
  const auto height = std::clamp<std::size_t>(static_cast<std::size_t>(scale * high), 1, photograph.height);
  const auto place = [&](std::size_t room) { return random.below(static_cast<std::uint32_t>(room) + 1); };
  const std::size_t left = place(photograph.width - width);
  return {.top = place(photograph.height - height), .left = left, .height = height, .width = width};
}

struct Share {
  const char* split;
  std::size_t samples;
};

using PutPhoto = std::function<void(const std::string& name, std::span<const std::byte> jpeg)>;

// Passes all photos to `put`, with their paths below the directory. Throws Error when a stop was requested.
void for_each_photo(const fs::path& shown, std::span<const fs::path> files, const PhotosOptions& options,
                    const GenerateProgress& progress, const std::stop_token& stop, const PutPhoto& put) {
  const Share shares[] = {{"train", options.samples}, {"val", std::max(options.samples / kTrainPerVal, files.size())}};
  const std::size_t total = shares[0].samples + shares[1].samples;
  std::size_t done = 0;
  const std::vector<std::string> names = class_names(files);
  OpenCvDecoder decoder;
  for (std::size_t label = 0; label < files.size(); ++label) {
    const ImageSize photograph = open(decoder, files[label]);
    for (std::uint64_t split = 0; const Share& share : shares) {
      // Sample i is of class i mod classes, so that every class has its share.
      for (std::size_t index = label; index < share.samples; index += files.size(), ++done) {
        if (stop.stop_requested()) {
          throw Error(fmt::format("making {} was interrupted; nothing was left behind", shown.string()));
        }
        Random random(key_of(options.seed, split, index));
        const Region part = part_of(photograph, options, random);
        put(fmt::format("{}/{}/{:08}.jpg", share.split, names[label], index),
            decoder.resized_jpeg(part, {.height = options.height, .width = options.width}, options.quality));
        if (progress) progress(done, total);
      }
      ++split;
    }
  }
}

// False, with nothing written, if another process has made something in `target` in the meantime.
bool write_photos(const fs::path& target, const fs::path& shown, std::span<const fs::path> files,
                  const PhotosOptions& options, const GenerateProgress& progress, const std::stop_token& stop) {
  Parents parents(target, shown);
  parents.make();
  AtomicDirectory made(target);
  write_for(shown, made.temporary(), [&] {
    for_each_photo(shown, files, options, progress, stop,
                   [&](const std::string& name, std::span<const std::byte> jpeg) {
                     const fs::path path = made.temporary() / name;
                     fs::create_directories(path.parent_path());
                     write_new_file(path, jpeg);
                   });
    wait_until_all_is_stored(made.temporary());
  });
  const bool is_ours = commit_unless_taken(made, target);
  parents.keep();
  return is_ours;
}

// Throws Error unless `target` holds exactly these photos.
void expect_photos(const fs::path& target, const fs::path& shown, std::span<const fs::path> files,
                   const PhotosOptions& options, const GenerateProgress& progress, const std::stop_token& stop) {
  std::set<std::string> names = names_below(target);
  for_each_photo(shown, files, options, progress, stop, [&](const std::string& name, std::span<const std::byte> jpeg) {
    if (names.erase(name) == 0) throw something_else(target, fmt::format("without {}", name));
    const std::string there = read_text(target / name, kMostFileBytes);
    if (!std::ranges::equal(std::as_bytes(std::span(there)), jpeg)) {
      throw something_else(target, fmt::format("{} differs in content", name));
    }
  });
  if (!names.empty()) throw something_else(target, fmt::format("holding {}", *names.begin()));
}

}  // namespace

Generated make_photos(const fs::path& directory, const PhotosOptions& options, const GenerateProgress& progress,
                      const std::stop_token& stop) {
  check(options);
  const auto files = photographs_in(options);
  if (files.empty()) throw Error(fmt::format("cannot make photos: no photograph in {}", options.from.string()));
  if (options.samples < files.size()) {
    throw usage_error(fmt::format("--samples {}: want at least one for each of the {} photographs in {}",
                                  options.samples, files.size(), options.from.string()));
  }
  const fs::path target = resolved_destination("make", directory);
  Generated outcome = Generated::kMade;
  write_for(directory, target, [&] {
    if (!is_taken(target) && write_photos(target, directory, files, options, progress, stop)) return;
    expect_photos(target, directory, files, options, progress, stop);
    outcome = Generated::kAlreadyThere;
  });
  return outcome;
}

}  // namespace loadline
