// What makes reading cheaper, by the limit of storage that binds. A pure function, safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/result/result.h"

namespace loadline {

// Where reads per second bind, fewer bytes in each gain nothing; where bytes per second bind, fewer reads do not.
enum class StorageRemedy : std::uint8_t {
  kFewerReadsOrBytes,  // it is not known which of both binds
  kFewerBytes,
  kPackedFiles,   // instead of one file per sample, or some
  kPageShuffled,  // neighbours together, instead of each sample alone
  kFewerReads,    // in any other way
};

// `limit`: the unit of the device's ceiling that binds loading in this cell, bytes or reads; nullopt: not known.
StorageRemedy storage_remedy(const CellResult& cell, const DatasetInfo& info, std::optional<CeilingUnit> limit);

// "a format with fewer bytes per sample", for use after "use faster storage or".
std::string_view words_of(StorageRemedy remedy);

}  // namespace loadline
