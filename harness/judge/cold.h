// Cold trials: whether the page cache really was empty, and what that cost.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

enum class Coldness : std::uint8_t {
  kProved,   // nothing was there before, or what was read came from a device
  kStayed,   // the page cache kept some of the files
  kDoubted,  // it held nothing, yet little came from a device: a cache below it, or a system that does not count it
  kUnknown,  // the system reports neither
};

// What is known about a trial of a cold cell.
struct ColdProof {
  std::optional<double> stayed;       // share of the files' pages that were in the page cache before it
  std::optional<double> from_device;  // bytes read from a device, over the bytes that its samples take in the files

  Coldness coldness() const;
};

// Bytes that the samples of a trial take in the files. Within an epoch only crops of a volume are read twice.
double stored_bytes_of(const Trial& trial, const Cell& cell, const DatasetInfo& info);

// Whether a cold trial, which ends with its epoch at the latest, read all of it; a short last batch may be left out.
bool ends_with_epoch(const Cell& cell, const Trial& trial, const DatasetInfo& info);

ColdProof cold_proof(const Trial& trial, const Cell& cell, const DatasetInfo& info);

// The share of the pages that stayed in the page cache, on average, where that was more than half of them before most
// of the cold trials of a configuration: its figures are those of a warm run. nullopt for others, and without trials
// that were to be cold.
std::optional<double> found_warm(const Result& result, const Configuration& configuration);

// Compares each configuration of cold FULL trials with its warm counterpart, if that has trials and nothing else
// differs, and says so in its verdict, as it does where found_warm(). Call it after the verdicts have been made.
void add_cold_starts(const Result& result, Judgement& judgement);

}  // namespace loadline
