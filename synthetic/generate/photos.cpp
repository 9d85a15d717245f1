#include "synthetic/generate/photos.h"

#include <fmt/format.h>

#include <algorithm>
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

// False when a stop was requested.
bool write_photos(const fs::path& directory, std::span<const fs::path> files, const PhotosOptions& options,
                  const std::function<void(std::size_t done, std::size_t total)>& progress,
                  const std::stop_token& stop) {
  const Share shares[] = {{"train", options.samples}, {"val", std::max(options.samples / kTrainPerVal, files.size())}};
  const std::size_t total = shares[0].samples + shares[1].samples;
  std::size_t done = 0;
  const std::vector<std::string> names = class_names(files);
  OpenCvDecoder decoder;
  for (std::size_t label = 0; label < files.size(); ++label) {
    const ImageSize photograph = open(decoder, files[label]);
    for (std::uint64_t split = 0; const Share& share : shares) {
      const fs::path group = directory / share.split / names[label];
      fs::create_directories(group);
      // Sample i is of class i mod classes, so that every class has its share.
      for (std::size_t index = label; index < share.samples; index += files.size(), ++done) {
        if (stop.stop_requested()) return false;
        Random random(key_of(options.seed, split, index));
        const Region part = part_of(photograph, options, random);
        write_new_file(group / fmt::format("{:08}.jpg", index),
                       decoder.resized_jpeg(part, {.height = options.height, .width = options.width}, options.quality));
        if (progress) progress(done, total);
      }
      ++split;
    }
  }
  wait_until_all_is_stored(directory);
  return true;
}

void refuse_if_taken(const fs::path& directory) {
  if (!is_taken(directory)) return;
  throw Error(
      fmt::format("cannot make {}: something is there; name another directory or remove it", directory.string()));
}

}  // namespace

void make_photos(const fs::path& directory, const PhotosOptions& options,
                 const std::function<void(std::size_t done, std::size_t total)>& progress,
                 const std::stop_token& stop) {
  check(options);
  const auto files = photographs_in(options);
  if (files.empty()) throw Error(fmt::format("cannot make photos: no photograph in {}", options.from.string()));
  if (options.samples < files.size()) {
    throw usage_error(fmt::format("--samples {}: want at least one for each of the {} photographs in {}",
                                  options.samples, files.size(), options.from.string()));
  }
  refuse_if_taken(directory);
  const fs::path target = resolved_destination(directory);
  Parents parents(target);
  parents.make();
  AtomicDirectory made(target);
  write_for(directory, made.temporary(), [&] {
    const bool complete = write_photos(made.temporary(), files, options, progress, stop);
    if (!complete) throw Error(fmt::format("making {} was interrupted; nothing was left behind", directory.string()));
  });
  try {
    made.commit();
  } catch (const Error&) {
    // A directory that has left its temporary name is there; only its sync failed.
    if (!made.temporary().empty()) refuse_if_taken(directory);
    throw;
  }
  parents.keep();
}

}  // namespace loadline
