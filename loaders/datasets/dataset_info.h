// A dataset's description of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "loaders/datasets/file_names.h"
#include "loaders/tensor.h"

namespace loadline {

// How a sample is accessed.
enum class Access : std::uint8_t {
  kMapped,    // in a mapped file
  kResident,  // in this process's memory
  kRows,      // by the HDF5 library, one read per sample
  kBlocks,    // by the HDF5 library, one read per run of neighbours in a batch
  kChunks,    // as whole stored chunks of an HDF5 file, decoded by the thread that needs them
  kFiles,     // one file per sample, read whole
  kUnknown,   // by an external loader, in its own way
};

// "mapped", "resident", "hdf5-rows", "hdf5-blocks", "hdf5-chunks", "files", "unknown".
std::string_view name(Access access);

// Whether readers copy stored bytes into their own memory, rather than locate them in a mapping or in memory.
constexpr bool is_copied(Access access) {
  return access != Access::kMapped && access != Access::kResident;
}

// Two fields of f32 values on one cube, [channels, edge, edge, edge] each.
struct VolumeShape {
  std::size_t edge = 0;  // values along each side
  std::size_t input_channels = 0;
  std::size_t target_channels = 0;

  std::size_t channels() const { return input_channels + target_channels; }
  std::size_t bytes() const { return channels() * edge * edge * edge * sizeof(float); }
  bool operator==(const VolumeShape&) const = default;
};

// How sequences are cut from a row of tokens or made from text.
enum class Sequences : std::uint8_t {
  kRandom,       // each begins at a random token
  kConsecutive,  // each begins where the one before it ends
  kDocuments,    // like kConsecutive, but no sequence continues into the next document
  kPadded,       // text: each is a document; the rest of its row stays empty
  kPacked,       // text: each is a row that documents fill one after another
};

// "random", "consecutive", "documents", "padded", "packed".
constexpr std::string_view name(Sequences sequences) {
  switch (sequences) {
    case Sequences::kRandom: return "random";
    case Sequences::kConsecutive: return "consecutive";
    case Sequences::kDocuments: return "documents";
    case Sequences::kPadded: return "padded";
    case Sequences::kPacked: return "packed";
  }
  return "";
}

// Whether they are made from text, rather than cut from a row of tokens.
constexpr bool is_of_text(Sequences sequences) {
  return sequences == Sequences::kPadded || sequences == Sequences::kPacked;
}

// A row of tokens; samples are sequences cut from it.
struct TokenShape {
  std::size_t tokens = 0;
  std::size_t token_bytes = 0;           // as stored: 2 or 4
  std::optional<std::size_t> documents;  // nullopt: unknown
  std::size_t sequence_length = 0;       // maximum number of tokens that a sample predicts; 0: samples are not cut
  Sequences sequences = Sequences::kRandom;

  std::size_t bytes() const { return tokens * token_bytes; }
  bool operator==(const TokenShape&) const = default;
};

// What counts as a document of text.
enum class TextDocuments : std::uint8_t {
  kAuto,       // decided by the files' names (open_text())
  kLines,      // each line of a file
  kFiles,      // a file
  kJsonLines,  // a member of the JSON object on each line; cannot be requested, chosen by file name only
};

// "auto", "lines", "files", "json-lines".
constexpr std::string_view name(TextDocuments documents) {
  switch (documents) {
    case TextDocuments::kAuto: return "auto";
    case TextDocuments::kLines: return "lines";
    case TextDocuments::kFiles: return "files";
    case TextDocuments::kJsonLines: return "json-lines";
  }
  return "";
}

// Documents, which are turned into tokens on demand.
struct TextShape {
  std::size_t documents = 0;
  std::size_t bytes = 0;  // stored bytes of all documents
  TextDocuments stored_as = TextDocuments::kLines;
  std::string tokenizer;            // "bytes", or the model's file
  std::size_t vocabulary = 0;       // tokens are below it
  std::size_t sequence_length = 0;  // most tokens that a sample predicts; 0: no samples are made
  Sequences sequences = Sequences::kPadded;
  // kPacked: stored bytes per row; each document counts one more for its end.
  std::optional<std::size_t> row_bytes = std::nullopt;

  bool operator==(const TextShape&) const = default;
};

struct DatasetInfo {
  std::string format;       // row of the format table
  std::size_t samples = 0;  // at least 1; 0 only if the files are unknown and cannot be counted
  // Shape of one stored sample of u8. Height and width are 0 for encoded images, whose sizes vary; all of it is 0 for
  // crops of a volume, tokens and text.
  ImageShape shape;
  // Whether the samples that the dataset hands out are [height, width, channels], rather than planar: all rows of
  // channel 0, then of channel 1, ... Never for one channel, which is the same in both, nor for encoded images.
  bool channels_last = false;
  std::optional<VolumeShape> volume;  // the volume that samples are cropped from
  std::optional<TokenShape> tokens;   // the tokens that samples are cut from
  std::optional<TextShape> text;      // the text that samples are made from
  std::size_t classes = 0;            // labels are below it
  bool classes_stated = false;        // in the file itself; false: counted from the labels, or by the format
  FileNames files;                    // all files of the dataset
  std::size_t stored_bytes = 0;       // of `files`
  // How many of `files` stored_bytes is estimated from; nullopt: it is the sum of all.
  std::optional<std::size_t> sized_files = std::nullopt;
  // Bytes of all encoded samples, without what the files add to them; nullopt: their files hold nothing else.
  std::optional<std::size_t> encoded_bytes = std::nullopt;
  std::size_t images_beside = 0;  // image folder: images beside the directories of the classes, which are not samples
  bool encoded = false;           // samples are images in an encoded format, such as JPEG
  bool labels_in_memory = true;   // false: read on demand
  Access access = Access::kMapped;

  std::size_t sample_bytes() const { return shape.elements(); }  // if all stored samples have one size
  Layout stored_layout() const { return channels_last ? Layout::kNHWC : Layout::kNCHW; }
  // Whether samples are images with class labels.
  bool labelled() const { return !volume && !tokens && !text; }
  std::size_t all_bytes() const {
    if (volume) return volume->bytes();
    if (tokens) return tokens->bytes();
    if (text) return text->bytes;
    return encoded ? stored_bytes : samples * sample_bytes();
  }
};

// The description of a copy in this process's memory.
inline DatasetInfo resident(DatasetInfo info) {
  info.access = Access::kResident;
  return info;
}

// "u8" for images and text, "f32" for volumes, "u16" or "u32" for tokens.
std::string_view stored_type(const DatasetInfo& info);

}  // namespace loadline
