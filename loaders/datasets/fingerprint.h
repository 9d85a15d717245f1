// Checksums that tell datasets apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "loaders/datasets/dataset.h"

namespace loadline {

// 64-bit digest of shape, labels and sample bytes in index order (XXH3), those of images in planes. Reads every sample.
// Equal for equal samples, whatever their storage format and the order of their channels. nullopt if `stop` was
// requested before the end. Throws Error like check_intact().
std::optional<std::uint64_t> content_fingerprint(const Dataset& dataset, const std::stop_token& stop);
// The same, but cannot be stopped.
std::uint64_t content_fingerprint(const Dataset& dataset);

// How many evenly spread samples run_fingerprint() covers, for a dataset of more than 4 GiB, where each sample counts
// as at least 1 KiB and an encoded one as 32 KiB. What counts as a sample here: runs of 1,024 tokens if there are
// more than 2^30; single values in all channels for a volume of more than 4 GiB; documents for more than 4 GiB of
// text. nullopt for smaller datasets: run_fingerprint() is then content_fingerprint(). Does not depend on the storage
// format.
std::optional<std::size_t> fingerprint_samples(const DatasetInfo& info);
// Tells datasets apart without reading for hours: a digest of the shape, the number of samples, and the labels and
// bytes of fingerprint_samples() samples. Errors and `stop` as above.
std::optional<std::uint64_t> run_fingerprint(const Dataset& dataset, const std::stop_token& stop);

}  // namespace loadline
