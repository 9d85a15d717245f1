#include "harness/judge/storage_remedy.h"

#include "loaders/error.h"
#include "loaders/loader.h"

namespace loadline {
namespace {

// Whether the order of sample numbers decides which reads are neighbours, and is one that --order can change.
bool order_scatters_reads(const Cell& cell, const DatasetInfo& info) {
  const bool anywhere = info.volume || (info.tokens && info.tokens->sequences == Sequences::kRandom);
  const LoaderKind* const loader = cell.loader ? known_loader(*cell.loader) : nullptr;
  return info.access == Access::kMapped && cell.sampler.order == Order::kShuffled && !anywhere && loader != nullptr &&
         !loader->external;
}

}  // namespace

StorageRemedy storage_remedy(const CellResult& cell, const DatasetInfo& info, std::optional<CeilingUnit> limit) {
  if (limit == CeilingUnit::kBytes) return StorageRemedy::kFewerBytes;
  if (limit != CeilingUnit::kReads) return StorageRemedy::kFewerReadsOrBytes;
  if (info.access == Access::kFiles) return StorageRemedy::kPackedFiles;
  return order_scatters_reads(cell.cell, info) ? StorageRemedy::kPageShuffled : StorageRemedy::kFewerReads;
}

std::string_view words_of(StorageRemedy remedy) {
  switch (remedy) {
    case StorageRemedy::kFewerReadsOrBytes: return "a format with fewer reads or bytes per sample";
    case StorageRemedy::kFewerBytes: return "a format with fewer bytes per sample";
    case StorageRemedy::kPackedFiles: return "packed files with fewer reads per sample";
    case StorageRemedy::kPageShuffled: return "--order page-shuffled with fewer reads per sample";
    case StorageRemedy::kFewerReads: return "samples that need fewer reads";
  }
  throw Error("storage: unknown remedy");
}

}  // namespace loadline
