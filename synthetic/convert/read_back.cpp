#include "synthetic/convert/read_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/formats.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/hdf5.h"
#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// Images of one size, one byte per value.
bool are_plain(const DatasetInfo& info) {
  return !info.encoded && info.labelled();
}

std::string samples_text(std::uint64_t count) {
  return fmt::format("{} sample{}", count, count == 1 ? "" : "s");
}

// How the images of an HDF5 file are stored.
std::string storage_words(const fs::path& path) {
  if (has_hdf5_dataset(path, std::string(kPackedBytes))) return "that of packed images";
  const Hdf5Dataset images(path, DatasetOptions{}.hdf5_images);
  const Hdf5Facts& facts = images.facts();
  if (facts.storage != Hdf5Storage::kChunked) return std::string(name(facts.storage));
  std::string words = fmt::format("in chunks of {}", samples_text(facts.chunk.front()));
  for (std::size_t i = 0; i < facts.filters.size(); ++i) {
    words += facts.filters[i] == Hdf5Filter::kDeflate && facts.gzip_level ? fmt::format(", gzip {}", *facts.gzip_level)
                                                                          : ", " + facts.filter_names[i];
  }
  return words;
}

// How write_hdf5() stores images of one size.
std::string storage_words(const ConvertOptions& options, std::size_t samples) {
  if (!options.chunk_samples) return std::string(name(Hdf5Storage::kContiguous));
  return fmt::format("in chunks of {}{}", samples_text(std::min(*options.chunk_samples, samples)),
                     options.gzip_level == 0 ? "" : fmt::format(", gzip {}", options.gzip_level));
}

}  // namespace

bool holds_the_same(const fs::path& path, const fs::path& shown, const ConvertFormat& format, const Dataset& from,
                    const ConvertOptions& options, const std::stop_token& stop) {
  const auto there = open_converted(from, path, options);
  const auto same = there->info().encoded && are_plain(from.info()) ? decodes_to(*there, from, stop)
                                                                    : format.holds(*there, from, options, stop);
  if (!same) throw conversion_interrupted(shown);
  return *same;
}

std::optional<bool> has_content_of(const Dataset& there, const Dataset& from, const ConvertOptions& /*options*/,
                                   const std::stop_token& stop) {
  const auto a = content_fingerprint(there, stop);
  const auto b = content_fingerprint(from, stop);
  if (!a || !b) return std::nullopt;
  return *a == *b;
}

void check_storage(const fs::path& to, const ConvertFormat& format, const Dataset& from,
                   const ConvertOptions& options) {
  if (format.name != "hdf5" || !are_plain(from.info())) return;
  const std::string there = storage_words(to);
  const std::string wanted = storage_words(options, from.info().samples);
  if (there == wanted) return;
  throw Error(fmt::format(
      "cannot convert to {}: the same samples are there already, but their storage is {}, not {}; name another place "
      "or remove it",
      to.string(), there, wanted));
}

}  // namespace loadline
