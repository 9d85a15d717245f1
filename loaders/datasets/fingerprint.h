// What tells one dataset from another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "loaders/datasets/dataset.h"

namespace loadline {

// 64-bit digest of shape, labels and sample bytes in index order (XXH3). Reads every sample. Equal for equal samples,
// whatever the format they are stored in. None when `stop` was requested before the end. Throws Error as
// check_intact().
std::optional<std::uint64_t> content_fingerprint(const Dataset& dataset, const std::stop_token& stop);
// The same without a way to stop it.
std::uint64_t content_fingerprint(const Dataset& dataset);

// Of how many samples run_fingerprint() is, evenly spread: of a dataset of more than 4 GiB, counting a sample as 1 KiB
// at least and an encoded one as 32 KiB. Of more than 2^30 tokens they are runs of 1,024, of a volume of more than 4
// GiB all channels of single values, of more than 4 GiB of text documents, however many samples are made of them. None
// of less: it is content_fingerprint().
// The same whatever format the samples are stored in.
std::optional<std::size_t> fingerprint_samples(const DatasetInfo& info);
// What tells one dataset from another without reading for hours: the digest of shape, number of samples and, of so many
// samples, labels and bytes. Errors and `stop` as above.
std::optional<std::uint64_t> run_fingerprint(const Dataset& dataset, const std::stop_token& stop);

}  // namespace loadline
