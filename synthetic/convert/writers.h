// Inside of convert: what writes formats of encoded images, and what turns plain samples into such and back.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "loaders/datasets/dataset.h"
#include "loaders/error.h"
#include "synthetic/convert/convert.h"

namespace loadline {

Error conversion_interrupted(const std::filesystem::path& path);

// Why samples cannot be images in files of their own: only those of 1 or 3 channels become PNG. Empty where they can.
std::string encoded_obstacle(const DatasetInfo& info);

// Gives all samples to `consume` in order as encoded images: encoded ones as they are, others as PNG, which all CPUs
// make. Tells job.progress. Throws Error where it was interrupted.
using ConsumeEncoded = std::function<void(std::size_t index, StoredSample encoded)>;
void stream_encoded(const ConvertJob& job, const ConsumeEncoded& consume);

// As ConvertFormat::write.
void write_folder(const ConvertJob& job);
void write_webdataset(const ConvertJob& job);
void write_tfrecord(const ConvertJob& job);

// Why samples cannot be tokens; empty where they can: of text.
std::string tokens_obstacle(const DatasetInfo& info);
// As ConvertFormat::write.
void write_tokens(const ConvertJob& job);
// Whether the tokens `there` are those that the text `from` becomes, document by document. std::nullopt where `stop`
// was requested.
std::optional<bool> holds_tokens_of(const Dataset& there, const Dataset& from, const std::stop_token& stop);

// The pixels of encoded images, all of one size: u8, of one channel where all are grey PNGs and of three otherwise.
// Decoded by all CPUs as they are read in order. Borrows `encoded`. Throws Error where an image cannot be decoded or
// has another size than the first.
std::unique_ptr<Dataset> decoded(const Dataset& encoded, const std::stop_token& stop);

// Whether `encoded` has the labels of `plain` and, decoded, its pixels. std::nullopt where `stop` was requested.
std::optional<bool> decodes_to(const Dataset& encoded, const Dataset& plain, const std::stop_token& stop);

}  // namespace loadline
