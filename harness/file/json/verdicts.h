// JSON of judgements and of what a search tried. Only the search is read back: judgements are made again from the
// trials.
#pragma once

#include <optional>

#include "harness/file/json/record.h"
#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

std::optional<std::vector<double>> interval_json(const std::optional<Interval>& interval);

inline void fields(RecordWriter& json, const Estimate& estimate) {
  json("value", estimate.value);
  json("ci95", interval_json(estimate.ci95));
}

void fields(RecordWriter& json, const Summary& summary);
void fields(RecordWriter& json, const CellLoadLine& found);
void fields(RecordWriter& json, const Headline& headline);
void fields(RecordWriter& json, const Warning& warning);
void curve_fields(RecordWriter& json, const Curve& curve, const Result& result);
void configuration_fields(RecordWriter& json, const Configuration& configuration, const Result& result);
void fields(RecordWriter& json, const Prediction& prediction);

void fields(RecordWriter& json, const Search& search);
void fields(RecordReader& json, Search& search);
// null in a result without one.
void best_fields(RecordWriter& json, const Result& result);
void best_fields(RecordReader& json, Result& result);

}  // namespace loadline
