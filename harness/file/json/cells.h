// JSON of cells and ceilings, each with its trials.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/file/json/record.h"
#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Every setting of a cell, and nothing that was measured: the input of the configuration's hash.
Json settings_json(const Cell& cell);

// The inverse, from an object that may have other members. Throws Error naming what is wrong.
void read_settings(const JsonReader& from, Cell& cell);

// The ids by which cells refer to the ceilings that bound them.
struct CeilingIds {
  explicit CeilingIds(const std::vector<CeilingResult>& ceilings);

  std::vector<std::string> ids;
  std::unordered_map<std::string, std::size_t> indices;
};

void cell_fields(RecordWriter& json, const CellResult& cell, const CeilingIds& ceilings, const CellSummary& summary);
void cell_fields(RecordReader& json, CellResult& cell, const CeilingIds& ceilings);

void ceiling_fields(RecordWriter& json, const CeilingResult& ceiling, const std::optional<Summary>& summary,
                    const std::vector<CellResult>& cells);
void ceiling_fields(RecordReader& json, CeilingResult& ceiling);

}  // namespace loadline
