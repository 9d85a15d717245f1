// How trials stand in JSON: those of cells, first epochs and ceilings, and what a process used.
#pragma once

#include "harness/file/json/record.h"
#include "harness/result/result.h"

namespace loadline {

// What the process used: members among others.
void usage_fields(RecordWriter& json, const Usage& usage);
void usage_fields(RecordReader& json, Usage& usage);

void fields(auto& json, Record<StageSummary> auto& stage) {
  json("name", stage.name);
  json("hits", stage.hits);
  json("total_seconds", stage.total_seconds);
}

void fields(RecordWriter& json, const RunUsage& run);
void fields(RecordReader& json, RunUsage& run);

void fields(RecordWriter& json, const Trial& trial);
void fields(RecordReader& json, Trial& trial);
void fields(RecordWriter& json, const FirstEpoch& epoch);
void fields(RecordReader& json, FirstEpoch& epoch);
void fields(RecordWriter& json, const CeilingTrial& trial);
void fields(RecordReader& json, CeilingTrial& trial);

}  // namespace loadline
