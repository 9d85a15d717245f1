// What a dataset says of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "loaders/datasets/file_names.h"
#include "loaders/tensor.h"

namespace loadline {

// How a sample is got at.
enum class Access : std::uint8_t {
  kMapped,    // where it lies in a mapped file
  kResident,  // where it lies in this process's own memory
  kRows,      // by the HDF5 library, one read a sample
  kBlocks,    // by the HDF5 library, one read for each run of neighbours in a batch
  kChunks,    // whole chunks of an HDF5 file as they are stored, decoded by the thread that wants them
  kFiles,     // a file a sample, read whole
  kUnknown,   // by a loader that is not ours, in a way of its own
};

// "mapped", "resident", "hdf5-rows", "hdf5-blocks", "hdf5-chunks", "files", "unknown".
std::string_view name(Access access);

// Whether readers copy what is stored into memory of their own, rather than find it where it is mapped or resident.
constexpr bool is_copied(Access access) {
  return access != Access::kMapped && access != Access::kResident;
}

// A cube of f32 values in the channels of two fields, [channels, edge, edge, edge] each.
struct VolumeShape {
  std::size_t edge = 0;  // values along each side
  std::size_t input_channels = 0;
  std::size_t target_channels = 0;

  std::size_t channels() const { return input_channels + target_channels; }
  std::size_t bytes() const { return channels() * edge * edge * edge * sizeof(float); }
  bool operator==(const VolumeShape&) const = default;
};

// How sequences are taken out of a row of tokens.
enum class Sequences : std::uint8_t {
  kRandom,       // each begins at a random token
  kConsecutive,  // each begins where the one before it ends
  kDocuments,    // the same, and none goes on into the next document
  kPadded,       // of text: each is a document, and the rest of its row stands empty
  kPacked,       // of text: each is a row that documents fill one behind the other
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

// Whether they are of text, rather than of a row of tokens.
constexpr bool is_of_text(Sequences sequences) {
  return sequences == Sequences::kPadded || sequences == Sequences::kPacked;
}

// A row of tokens, of which samples are sequences.
struct TokenShape {
  std::size_t tokens = 0;
  std::size_t token_bytes = 0;           // as stored: 2 or 4
  std::optional<std::size_t> documents;  // nullopt: that is not known
  std::size_t sequence_length = 0;       // maximum number of tokens that a sample predicts; 0: samples are not cut
  Sequences sequences = Sequences::kRandom;

  std::size_t bytes() const { return tokens * token_bytes; }
  bool operator==(const TokenShape&) const = default;
};

// What is a document of text.
enum class TextDocuments : std::uint8_t {
  kAuto,       // as the files are named (open_text())
  kLines,      // a line of a file
  kFiles,      // a file
  kJsonLines,  // a member of the JSON object that a line is; not to be asked for, files are named for it
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

// Documents, of which tokens are made as they are asked for.
struct TextShape {
  std::size_t documents = 0;
  std::size_t bytes = 0;  // of them all, as they are stored
  TextDocuments stored_as = TextDocuments::kLines;
  std::string tokenizer;            // "bytes", or the file of its model
  std::size_t vocabulary = 0;       // tokens are below it
  std::size_t sequence_length = 0;  // tokens that a sample has to predict, at the most; 0: nobody makes samples
  Sequences sequences = Sequences::kPadded;
  // Packed: how many stored bytes a row has, each document counting one more for its end.
  std::optional<std::size_t> row_bytes = std::nullopt;

  bool operator==(const TextShape&) const = default;
};

struct DatasetInfo {
  std::string format;       // row of the format table
  std::size_t samples = 0;  // at least 1; 0 only if the files are unknown and cannot be counted
  // Of one stored sample: u8, planar (all rows of channel 0, then of channel 1, ...). Of encoded ones, which have sizes
  // of their own, height and width are 0; of crops of a volume, of tokens and of text, all of it is 0.
  ImageShape shape;
  std::optional<VolumeShape> volume;  // that the samples are crops of
  std::optional<TokenShape> tokens;   // that the samples are sequences of
  std::optional<TextShape> text;      // that the samples are made of
  std::size_t classes = 0;            // labels are below it
  FileNames files;                    // all that belongs to the dataset
  std::size_t stored_bytes = 0;       // of `files`
  // Of `files`, that stored_bytes is estimated from; nullopt: it is of all.
  std::optional<std::size_t> sized_files = std::nullopt;
  bool encoded = false;          // samples are images in a format of their own, such as JPEG
  bool labels_in_memory = true;  // rather than read as they are asked for
  Access access = Access::kMapped;

  std::size_t sample_bytes() const { return shape.elements(); }  // of one stored sample of a size that all have
  // Whether samples are images that a class has been given to.
  bool labelled() const { return !volume && !tokens && !text; }
  std::size_t all_bytes() const {
    if (volume) return volume->bytes();
    if (tokens) return tokens->bytes();
    if (text) return text->bytes;
    return encoded ? stored_bytes : samples * sample_bytes();
  }
};

// "u8", of text too; "f32" of volumes, "u16" or "u32" of tokens.
std::string_view stored_type(const DatasetInfo& info);

}  // namespace loadline
