#include "synthetic/convert/convert.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <type_traits>

#include "loaders/datasets/formats.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"
#include "loaders/transforms/tokenizer.h"
#include "loaders/verify.h"
#include "synthetic/convert/read_back.h"
#include "synthetic/convert/writers.h"
#include "synthetic/generate/destination.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFormats{
    ConvertFormat{"hdf5", "one HDF5 file, contiguous for mapping, or in chunks", "hdf5", ".h5", true, hdf5_obstacle,
                  write_hdf5, has_content_of},
    ConvertFormat{"idx", "a directory of MNIST's IDX files", "idx", "", false, idx_obstacle, write_idx, has_content_of},
    ConvertFormat{"cifar10", "a directory of CIFAR-10 binary batches", "cifar10", "", false, cifar10_obstacle,
                  write_cifar10, has_content_of},
    ConvertFormat{"cifar100", "a directory of CIFAR-100's binary file, from CIFAR-100", "cifar100", "", false,
                  cifar100_obstacle, write_cifar100, has_both_labels_of},
    ConvertFormat{"npy", "a directory of NumPy arrays: images and labels, or a volume's two fields", "npy", "", false,
                  npy_obstacle, write_npy, has_content_of},
    ConvertFormat{"npz", "one .npz of NumPy arrays, images and labels, uncompressed for mapping", "npy", ".npz", false,
                  npz_obstacle, write_npz, has_content_of},
    ConvertFormat{"jpeg", "a directory per class, a file per image: its encoded bytes, otherwise PNG", "image-folder",
                  "", true, folder_obstacle, write_folder, has_content_of},
    ConvertFormat{"webdataset", "a directory of tar shards with image and label of each sample", "webdataset", "", true,
                  encoded_obstacle, write_webdataset, has_content_of},
    ConvertFormat{"tfrecord", "a directory of TFRecord shards, one tf.train.Example per sample", "tfrecord", "", true,
                  encoded_obstacle, write_tfrecord, has_content_of},
    ConvertFormat{"tokens", "a directory of train.bin and train.idx, from tokens, or from text by its tokenizer",
                  "tokens", "", false, tokens_obstacle, write_tokens, has_tokens_of},
    ConvertFormat{"lines", "a directory of train.txt, a document of text per line", "text", "", false,
                  documents_obstacle, write_lines, has_documents_of},
    ConvertFormat{"json-lines", "a directory of train.jsonl, a document of text as member `text` per line", "text", "",
                  false, documents_obstacle, write_json_lines, has_documents_of},
    ConvertFormat{"files", "a directory of .txt files, a document of text each", "text", "", false, documents_obstacle,
                  write_text_files, has_documents_of},
};

void refuse_what_it_cannot_hold(const Dataset& from, const ConvertFormat& format) {
  if (const std::string why = format.obstacle(from); !why.empty()) {
    throw usage_error(fmt::format("cannot convert to {}: it holds {}", format.name, why));
  }
}

void check_token_type(const DatasetInfo& from, const ConvertFormat& format, const ConvertOptions& options) {
  constexpr std::size_t kMostInTwoBytes = std::size_t{1} << 16;
  if (options.token_bytes == 0) return;
  if (format.name != "tokens") {
    throw usage_error(fmt::format("--to-token-type: {} has no tokens, only tokens does", format.name));
  }
  if (options.token_bytes == 2 && from.text && from.text->vocabulary > kMostInTwoBytes) {
    throw usage_error(fmt::format("--to-token-type u16: the tokenizer {} has {} tokens, and u16 holds {}",
                                  from.text->tokenizer, from.text->vocabulary, kMostInTwoBytes));
  }
}

void check(const Dataset& from, const ConvertFormat& format, const ConvertOptions& options) {
  const DatasetInfo& info = from.info();
  refuse_what_it_cannot_hold(from, format);
  if ((options.chunk_samples || options.gzip_level != 0) && format.name != "hdf5") {
    throw usage_error(
        fmt::format("--chunk and --gzip: {} has neither chunks nor compression, only hdf5 does", format.name));
  }
  if (options.shard_bytes != ConvertOptions{}.shard_bytes && format.name != "webdataset" && format.name != "tfrecord") {
    throw usage_error(fmt::format("--shard: {} has no shards, only webdataset and tfrecord do", format.name));
  }
  check_token_type(info, format, options);
  if (options.gzip_level != 0 && !options.chunk_samples) {
    throw usage_error("--gzip: only chunks are compressed, give --chunk too");
  }
  if (options.gzip_level > 9) {
    throw usage_error(fmt::format("--gzip: want a level from 0 to 9, got {}", options.gzip_level));
  }
  if (options.chunk_samples && (info.encoded || info.volume)) {
    throw usage_error(fmt::format("--chunk: {} is written in one piece", info.volume ? "a volume" : "what is encoded"));
  }
  // A chunk has at most 2^32 - 1 bytes: "HDF5 File Format Specification", its layout message.
  if (options.chunk_samples && *options.chunk_samples > 0xffffffff / info.sample_bytes()) {
    throw usage_error(fmt::format("--chunk: {} samples of {} bytes are more than 4 GiB", *options.chunk_samples,
                                  info.sample_bytes()));
  }
}

// A copy of corrupt images would be useless but look complete.
void check_decodes(const ConvertJob& job) {
  if (!job.from.info().encoded) return;
  const auto found = verify(job.from, job.progress, job.stop);
  if (!found) throw conversion_interrupted(job.shown);
  if (found->faults.empty()) return;
  throw Error(
      fmt::format("cannot convert to {}: {} of {} samples cannot be decoded, the first is {}; `loadline data "
                  "verify` names them all",
                  job.shown.string(), found->faults.size(), job.from.info().samples,
                  job.from.describe(found->faults.front().index)));
}

// Written and read back under a temporary name next to `target`, where the links at job.shown lead. False, with nothing
// written, if something has appeared there in the meantime.
template <typename Atomic>
bool write_atomically(const ConvertFormat& format, const ConvertJob& job, const fs::path& target) {
  bool is_ours = false;
  write_for(job.shown, target, [&] {
    Parents parents(target, job.shown);
    parents.make();
    Atomic made(target);
    ConvertJob inner = job;
    inner.to = made.temporary();
    if constexpr (std::is_same_v<Atomic, AtomicFile>) inner.file = &made;
    write_for(job.shown, made.temporary(), [&] {
      format.write(inner);
      if (!holds_the_same(made.temporary(), job.shown, format, job.from, job.options, job.stop)) {
        throw Error(fmt::format("cannot convert to {}: what was written reads back differently", job.shown.string()));
      }
    });
    is_ours = commit_unless_taken(made, target);
    parents.keep();
  });
  return is_ours;
}

// Whether encoded images are stored as pixels.
bool stores_pixels(const Dataset& original, const ConvertFormat& format, const ConvertOptions& options) {
  return original.info().encoded && (options.decode || !format.holds_encoded);
}

// What is stored of samples that are not stored as they are: the pixels of encoded images, or the planes of images with
// channels last. Null: they are.
std::unique_ptr<Dataset> changed_for(const Dataset& original, const ConvertFormat& format,
                                     const ConvertOptions& options, const std::stop_token& stop) {
  if (stores_pixels(original, format, options)) return decoded(original, stop);
  return original.info().channels_last ? as_planes(original) : nullptr;
}

// Whether the copy of `from` is at `to`. Throws Error if it is there in other storage.
bool has_copy(const fs::path& to, const ConvertFormat& format, const Dataset& from, const ConvertOptions& options,
              const std::stop_token& stop) {
  // If it cannot be read, it is something else.
  try {
    if (!holds_the_same(to, to, format, from, options, stop)) return false;
  } catch (const Error&) {
    if (stop.stop_requested()) throw;
    return false;
  }
  check_storage(to, format, from, options);
  return true;
}

}  // namespace

Error conversion_interrupted(const fs::path& path) {
  return Error(fmt::format("converting to {} was interrupted; nothing was left behind", path.string()));
}

std::span<const ConvertFormat> convert_formats() {
  return kFormats;
}

std::string_view format_named_by(const fs::path& to) {
  if (has_hdf5_name(to)) return "hdf5";
  for (const ConvertFormat& format : kFormats) {
    if (!format.ending.empty() && to.extension() == format.ending) return format.name;
  }
  return {};
}

Converted convert(const Dataset& original, const fs::path& to, const ConvertOptions& options,
                  const ConvertProgress& progress, const std::stop_token& stop) {
  const ConvertFormat& format = row_named(kFormats, "format", options.format);
  const fs::path target = resolved_destination("write", to);
  if (options.decode && !original.info().encoded) {
    throw usage_error("--decode: these samples are pixels already, only encoded images can be decoded");
  }
  // Before images are decoded, which takes long and may fail for another reason.
  refuse_what_it_cannot_hold(original, format);
  if (stores_pixels(original, format, options))
    check_decodes({.from = original, .to = {}, .shown = to, .options = options, .progress = progress, .stop = stop});
  const auto changed = changed_for(original, format, options, stop);
  const Dataset& from = changed ? *changed : original;
  check(from, format, options);
  if (!is_taken(to)) {
    const ConvertJob job{.from = from, .to = {}, .shown = to, .options = options, .progress = progress, .stop = stop};
    check_decodes(job);
    const bool made = format.ending.empty() ? write_atomically<AtomicDirectory>(format, job, target)
                                            : write_atomically<AtomicFile>(format, job, target);
    if (made) return Converted::kMade;
  }
  if (!has_copy(to, format, from, options, stop)) {
    throw Error(
        fmt::format("cannot convert to {}: something else is there; name another place or remove it", to.string()));
  }
  return Converted::kAlreadyThere;
}

bool is_converted(const Dataset& original, const fs::path& to, const ConvertOptions& options,
                  const std::stop_token& stop) {
  const ConvertFormat& format = row_named(kFormats, "format", options.format);
  const auto changed = changed_for(original, format, options, stop);
  return has_copy(to, format, changed ? *changed : original, options, stop);
}

std::size_t images_losing_alpha(const Dataset& from, const ConvertOptions& options) {
  if (!stores_pixels(from, row_named(kFormats, "format", options.format), options)) return 0;
  std::size_t images = 0;
  from.visit([&](StoredSample image) {
    if (has_alpha(image)) ++images;
    return true;
  });
  return images;
}

std::unique_ptr<Dataset> open_converted(const Dataset& from, const fs::path& to, const ConvertOptions& options) {
  const ConvertFormat& format = row_named(kFormats, "format", options.format);
  DatasetOptions there{.format = std::string(from.info().volume ? "volume" : format.read_as)};
  there.tokenizer = kBytesTokenizer;  // any would do: only the text of documents counts
  if (format.read_as == "tokens") there.token_bytes = stored_token_bytes(from.info(), options);
  return open_dataset(to, there);
}

}  // namespace loadline
