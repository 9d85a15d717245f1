#include "harness/file/json/upgrade.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace loadline {
namespace {

using Json = nlohmann::ordered_json;

// No result is nested deeper. Anything deeper is not a result and would only exhaust the stack.
constexpr int kDeepest = 32;

// The member, or null where there is none.
const Json& member(const Json& object, const std::string& key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

// The option in force, or the fixed value from before it was an option.
Json option(const Json& result, const std::string& name, const Json& otherwise) {
  const Json& value = member(member(result, "config"), name);
  return value.is_null() ? otherwise : value;
}

void add(Json& object, const std::string& key, const Json& value) {
  if (!object.contains(key)) object[key] = value;
}

void rename(Json& object, const std::string& from, const std::string& to) {
  const auto found = object.find(from);
  if (found == object.end()) return;
  object[to] = *found;
  object.erase(from);
}

// Calls visit(item) for each object of a list.
template <typename Visit>
void each(Json& object, const std::string& list, Visit visit) {
  const auto found = object.find(list);
  if (found == object.end() || !found->is_array()) return;
  for (Json& item : *found) {
    if (item.is_object()) visit(item);
  }
}

bool loads(const Json& cell) {
  return !member(cell, "loader").is_null();
}

const Json kNobodyLooked{{"before", nullptr}, {"after", nullptr}};

// Version 2 has ceilings, encoded images and formats that are not mapped.
void lift_from_1(Json& result) {
  add(result, "ceilings", Json::array());
  each(result, "datasets", [](Json& dataset) {
    add(dataset, "access", member(dataset, "resident") == true ? "resident" : "mapped");
    add(dataset, "encoded", false);
    add(dataset, "file_count", member(dataset, "files").size());
  });
  each(result, "cells", [](Json& cell) {
    add(cell, "bounds", Json::array());
    add(cell, "stores", "auto");
    add(cell, "image_size", 224);
    add(cell, "crop", "random-resized");
    add(cell, "decoder", "jpeg");
    add(cell, "turn_upright", false);
    add(cell, "scaled_dct", false);
    add(cell, "on_corrupt", "fail");
    add(cell, "skipped", {{"samples", Json::array()}, {"count", 0}});
    each(cell, "trials", [](Json& trial) { add(trial, "stores", "cached"); });
  });
}

// A cell of version 2 has the settings that its name or its data depend on; all others are the run's.
void lift_cell_from_2(const Json& result, Json& cell) {
  const bool has_loader = loads(cell);
  rename(cell, "prefetch", "prefetch_in_force");
  add(cell, "prefetch", member(cell, "workers").is_null() ? Json() : option(result, "prefetch", nullptr));
  add(cell, "axes", Json::array());
  add(cell, "read", has_loader ? option(result, "read", "pread") : Json());
  add(cell, "cache", has_loader ? Json("warm") : Json());
  add(cell, "kernels", has_loader ? option(result, "kernels", "auto") : Json());
  add(cell, "precision", nullptr);
  add(cell, "fusion", nullptr);
  if (cell["fusion"].is_boolean()) cell["fusion"] = cell["fusion"] == true ? "on" : "off";
  add(cell, "compute_threads", nullptr);
  add(cell, "placement", "shared");
  add(cell, "worker_cpus", Json::array());
  add(cell, "compute_cpus", Json::array());
  add(cell, "threads_in_force", member(member(result, "machine"), "threads_in_force"));
  for (const auto& [name, otherwise] : {std::pair{"hdf5_images", Json("images")},
                                        {"hdf5_labels", Json("labels")},
                                        {"crops", Json(1024)},
                                        {"crop_edge", Json(64)},
                                        {"rotate", Json("on")}}) {
    add(cell, name, option(result, name, otherwise));
  }
  const Json& datasets = member(result, "datasets");
  const Json& index = member(cell, "dataset");
  const bool known = index.is_number_unsigned() && datasets.is_array() && index.get<std::size_t>() < datasets.size();
  add(cell, "classes", known ? member(datasets[index.get<std::size_t>()], "classes") : Json());
  add(cell, "compute_bytes", 0);
  add(cell, "compute_description", nullptr);
  each(cell, "trials", [](Json& trial) {
    add(trial, "compute_setup_seconds", 0.0);
    add(trial, "stages", Json::array());
  });
}

// The first cell that a ceiling bounds; the first of all where it bounds none.
std::size_t cell_under(const Json& result, const Json& id) {
  const Json& cells = member(result, "cells");
  for (std::size_t i = 0; cells.is_array() && i < cells.size(); ++i) {
    const Json& bounds = member(cells[i], "bounds");
    if (std::find(bounds.begin(), bounds.end(), id) != bounds.end()) return i;
  }
  return 0;
}

// Version 3 has every setting of a cell, sweeps, and the trials of checks separate from those of cells. What a
// prediction of version 2 measured is dropped.
void lift_from_2(Json& result) {
  add(result, "merged_from", Json::array());
  add(result, "search", nullptr);
  add(result, "checks", Json::array());
  each(result, "datasets", [](Json& dataset) { add(dataset, "volume", nullptr); });
  each(result, "cells", [&](Json& cell) { lift_cell_from_2(result, cell); });
  each(result, "ceilings", [&](Json& ceiling) {
    add(ceiling, "further", "");
    add(ceiling, "cell", cell_under(result, member(ceiling, "id")));
  });
}

Json why_stopped(const Json& result, const Json& cell) {
  if (!member(cell, "error").is_null()) return "error";
  const bool complete = member(result, "status") == "complete" && !member(cell, "trials").empty();
  return complete ? Json("trials") : Json();
}

// The first files of version 3 lack fields that were added to it later.
void complete_3(Json& result) {
  add(result, "resumed", Json::array());
  add(result, "merged_from", Json::array());
  add(result, "checks", Json::array());
  add(result, "best", nullptr);
  add(result, "process", nullptr);
  for (const char* list : {"cells", "checks"}) {
    each(result, list, [&](Json& cell) {
      add(cell, "stopped", why_stopped(result, cell));
      const auto first_epoch = cell.find("first_epoch");
      if (first_epoch != cell.end() && first_epoch->is_object()) add(*first_epoch, "page_cache", kNobodyLooked);
      each(cell, "trials", [](Json& trial) { add(trial, "page_cache", kNobodyLooked); });
    });
  }
  each(result, "ceilings", [&](Json& ceiling) { add(ceiling, "cell", cell_under(result, member(ceiling, "id"))); });
}

}  // namespace

std::string upgraded(std::string_view text, int version) {
  // Rows for compare.py are half of a result, and only repeat the trials.
  Json result = Json::parse(text, [](int depth, Json::parse_event_t event, Json& parsed) {
    return depth <= kDeepest && !(depth == 1 && event == Json::parse_event_t::key && parsed == "benchmarks");
  });
  if (version <= 1) lift_from_1(result);
  if (version <= 2) lift_from_2(result);
  if (version <= 3) complete_3(result);
  return result.dump();
}

}  // namespace loadline
