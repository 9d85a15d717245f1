// JSON of trials: those of cells, first epochs and ceilings, and what a process used.
#pragma once

#include "harness/file/json/record.h"
#include "harness/result/result.h"

namespace loadline {

// What the process used, as members among those of another object.
void usage_fields(auto& json, Record<Usage> auto& usage);

void fields(auto& json, Record<StageSummary> auto& stage) {
  json("name", stage.name);
  json("hits", stage.hits);
  json("total_seconds", stage.total_seconds);
}

// Defined for RecordWriter and RecordReader.
void fields(auto& json, Record<RunUsage> auto& run);
void fields(auto& json, Record<Trial> auto& trial);
void fields(auto& json, Record<FirstEpoch> auto& epoch);
void fields(auto& json, Record<CeilingTrial> auto& trial);

}  // namespace loadline
