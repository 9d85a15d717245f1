#include "harness/file/listing.h"

#include "harness/file/json/record.h"

namespace loadline {

void fields(RecordWriter& json, const ListedName& row) {
  json("name", row.name);
  json("summary", row.summary);
}

void fields(RecordWriter& json, const ListedParameter& parameter) {
  json("name", parameter.name);
  json("help", parameter.help);
  json("required", parameter.required);
  parameter.standard_word ? json("default", parameter.standard_word) : json("default", parameter.standard);
  json("values", parameter.values);
}

void fields(RecordWriter& json, const ListedCompute& compute) {
  json("name", compute.name);
  json("summary", compute.summary);
  json("parameters", compute.parameters);
}

void fields(RecordWriter& json, const ListedProfile& profile) {
  json("name", profile.name);
  json("samples_per_second", profile.samples_per_second);
  json("batch_size", profile.batch_size);
  json("source", profile.source);
}

void fields(RecordWriter& json, const ListedBaseline& baseline) {
  json("name", baseline.name);
  json("path", baseline.path);
  json("started", baseline.started);
  json("host", baseline.host);
  json("cells", baseline.cells);
  json("former", baseline.former);
  json("error", baseline.error);
}

std::string listing_json(const Listing& listing) {
  RecordWriter json;
  json("workloads", listing.workloads);
  json("loaders", listing.loaders);
  json("computes", listing.computes);
  json("computes_left_out", listing.computes_left_out);
  json("profiles", listing.profiles);
  json("formats", listing.formats);
  json("ceilings", listing.ceilings);
  json("generators", listing.generators);
  json("kernels", listing.kernels);
  json("charts", listing.charts);
  json("tensorboard", listing.tensorboard);
  json("baselines", listing.baselines);
  return text_of(json.take(), 2) + '\n';
}

std::string baselines_json(const std::vector<ListedBaseline>& baselines) {
  return text_of(json_of(baselines), 2) + '\n';
}

}  // namespace loadline
