// Trials that were to find nothing in the page cache: whether they did, and what that cost.
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
  kUnknown,  // the system tells neither
};

// What is known about a trial of a cold cell.
struct ColdProof {
  std::optional<double> stayed;       // share of the files' pages that were in the page cache before it
  std::optional<double> from_device;  // bytes read from a device, over those that its samples take in the files

  Coldness coldness() const;
};

// What the samples of a trial take in the files; within an epoch nothing but crops of a volume is read twice.
double stored_bytes_of(const Trial& trial, const Cell& cell, const DatasetInfo& info);

// Of a trial that starts cold, and so ends with its epoch at the latest; a last batch that is not full may be left out.
bool ends_with_epoch(const Cell& cell, const Trial& trial, const DatasetInfo& info);

ColdProof cold_proof(const Trial& trial, const Cell& cell, const DatasetInfo& info);

// Holds each configuration of cold FULL trials against the one that differs from it in that alone, where that has
// trials too, and says so in its verdict. To be called when the verdicts are there.
void add_cold_starts(const Result& result, Judgement& judgement);

}  // namespace loadline
