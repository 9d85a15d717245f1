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

// Every setting of a cell, and nothing that was measured. Its form (form_of()) is that of the option which sets it,
// with "setting".
void setting_fields(RecordWriter& json, const Cell& cell);
// The inverse. Throws Error naming what is wrong.
void setting_fields(RecordReader& json, Cell& cell);

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
