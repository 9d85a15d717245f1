// Private to convert: writes the formats, and turns plain samples into encoded ones and back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/volume.h"
#include "loaders/error.h"
#include "synthetic/convert/convert.h"

namespace loadline {

Error conversion_interrupted(const std::filesystem::path& path);

// Passes all samples to `consume` in order, in blocks of whole samples. All have one size. Calls job.progress. Throws
// Error if it was interrupted.
using ConsumePixels = std::function<void(std::span<const std::byte> samples)>;
void stream_pixels(const ConvertJob& job, const ConsumePixels& consume);

// The same with the planes of a volume.
using ConsumePlanes = std::function<void(Field field, std::size_t channel, std::size_t x, StoredSample plane)>;
void stream_planes(const ConvertJob& job, const ConsumePlanes& consume);

// Of one field of a volume, as stored.
std::array<std::uint64_t, 4> extents_of(const VolumeShape& shape, Field field);

// As ConvertFormat::obstacle and ConvertFormat::write.
std::string hdf5_obstacle(const Dataset& from);
void write_hdf5(const ConvertJob& job);
std::string idx_obstacle(const Dataset& from);
void write_idx(const ConvertJob& job);
std::string cifar10_obstacle(const Dataset& from);
void write_cifar10(const ConvertJob& job);
// Each of its samples has two labels, and a dataset shows one: the other is read from the files of `from` again.
std::string cifar100_obstacle(const Dataset& from);
void write_cifar100(const ConvertJob& job);
// Holds the images of one array, or the two fields of a volume.
std::string npy_obstacle(const Dataset& from);
void write_npy(const ConvertJob& job);
// The same in one file, which holds no volume.
std::string npz_obstacle(const Dataset& from);
void write_npz(const ConvertJob& job);

// Why samples cannot be written as encoded images: only those of 1 or 3 channels become PNG. Empty if they can.
std::string encoded_obstacle(const Dataset& from);
// The same for a folder, which has its samples in the order of their classes and no class without samples.
std::string folder_obstacle(const Dataset& from);
// The directory of a class in a folder. The names of all classes sort by their labels.
std::string class_directory(std::int32_t label, std::size_t classes);

// Passes all samples to `consume` in order as encoded images: encoded ones unchanged, others as PNG, which all CPUs
// make. Calls job.progress. Throws Error if it was interrupted.
using ConsumeEncoded = std::function<void(std::size_t index, StoredSample encoded)>;
void stream_encoded(const ConvertJob& job, const ConsumeEncoded& consume);

// As ConvertFormat::write.
void write_folder(const ConvertJob& job);
void write_webdataset(const ConvertJob& job);
void write_tfrecord(const ConvertJob& job);

// As ConvertFormat::obstacle and ConvertFormat::write, for tokens and text, which becomes tokens by its tokenizer.
std::string tokens_obstacle(const Dataset& from);
void write_tokens(const ConvertJob& job);
// The index that write_tokens() writes, in the format of token_index.h: a sequence per document, or several if one
// cannot count its tokens. `starts`: the first token of each document, and the end of the last.
std::string index_of_documents(std::span<const std::uint64_t> starts, std::size_t token_bytes);
// How wide write_tokens() makes tokens of `from`, in bytes.
std::size_t stored_token_bytes(const DatasetInfo& from, const ConvertOptions& options);

// The same for text in each form that text has.
std::string documents_obstacle(const Dataset& from);
void write_lines(const ConvertJob& job);
void write_json_lines(const ConvertJob& job);
void write_text_files(const ConvertJob& job);

// As ConvertFormat::holds: by content_fingerprint(); by both labels too; by tokens and where documents begin; by the
// text of each document.
std::optional<bool> has_content_of(const Dataset& there, const Dataset& from, const ConvertOptions& options,
                                   const std::stop_token& stop);
std::optional<bool> has_both_labels_of(const Dataset& there, const Dataset& from, const ConvertOptions& options,
                                       const std::stop_token& stop);
std::optional<bool> has_tokens_of(const Dataset& there, const Dataset& from, const ConvertOptions& options,
                                  const std::stop_token& stop);
std::optional<bool> has_documents_of(const Dataset& there, const Dataset& from, const ConvertOptions& options,
                                     const std::stop_token& stop);

// The pixels of encoded images of one size: u8, with one channel if all are grey PNGs and three otherwise. All CPUs
// decode them while they are read in order. Borrows `encoded`. Throws Error if an image cannot be decoded, its size
// differs from the first, or its label is out of range.
std::unique_ptr<Dataset> decoded(const Dataset& encoded, const std::stop_token& stop);

// The images of `from`, which have channels last, in planes: what every format of pixels and every encoder here takes.
// Borrows `from`. Throws Error if a label is out of range.
std::unique_ptr<Dataset> as_planes(const Dataset& from);

// Whether the header of an encoded image says that it has an alpha channel, or a transparent colour. Decoding drops
// both.
bool has_alpha(StoredSample encoded);

// Whether `encoded` has the labels of `plain` and, once decoded, its pixels. std::nullopt if `stop` was requested.
std::optional<bool> decodes_to(const Dataset& encoded, const Dataset& plain, const std::stop_token& stop);

}  // namespace loadline
