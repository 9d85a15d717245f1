#include "tests/support/trace_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace loadline::test {
namespace {

using Track = std::pair<int, int>;  // pid, tid

struct Slice {
  long long begin = 0;  // ns
  long long end = 0;
  nlohmann::json args;
};

long long ns_of(const nlohmann::json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

class Checker {
 public:
  std::vector<std::string> check(const std::string& text) {
    const nlohmann::json trace = nlohmann::json::parse(text, nullptr, false);
    if (trace.is_discarded() || !trace.is_object()) return {"the file is no JSON object"};
    if (!trace.contains("traceEvents") || !trace["traceEvents"].is_array()) return {"it has no list traceEvents"};
    const std::string unit = trace.value("displayTimeUnit", "");
    if (unit != "ms" && unit != "ns") fault("displayTimeUnit is " + unit);
    if (!trace.value("metadata", nlohmann::json()).is_object()) fault("metadata is no object");
    for (const nlohmann::json& event : trace["traceEvents"]) take(event);
    for (const auto& [track, open] : open_) {
      if (!open.empty()) fault(fmt::format("track {}.{}: a B without its E", track.first, track.second));
    }
    for (const int pid : pids_) {
      if (!named_pids_.contains(pid)) fault(fmt::format("process {} has no name", pid));
    }
    for (auto& [track, slices] : slices_) {
      if (!named_tracks_.contains(track)) fault(fmt::format("track {}.{} has no name", track.first, track.second));
      check_nesting(track, slices);
    }
    for (const auto& [id, events] : flows_) check_flow(id, events);
    return faults_;
  }

 private:
  void fault(std::string sentence) { faults_.push_back(std::move(sentence)); }

  void take(const nlohmann::json& event) {
    const std::string phase = event.value("ph", "");
    if (!event.value("pid", nlohmann::json()).is_number_integer()) return fault("no pid in " + event.dump());
    if (!event.value("name", nlohmann::json()).is_string() && phase != "E") return fault("no name in " + event.dump());
    const int pid = event["pid"];
    if (phase == "M") return take_name(event);
    pids_.insert(pid);
    const nlohmann::json at = event.value("ts", nlohmann::json());
    if (!at.is_number() || at < 0) return fault("no ts in " + event.dump());
    if (phase == "C") return take_counter(event);
    if (!event.value("tid", nlohmann::json()).is_number_integer()) return fault("no tid in " + event.dump());
    const Track track{pid, event["tid"]};
    if (phase == "s" || phase == "t" || phase == "f") {
      if (!event.contains("id") || !event.contains("cat")) return fault("no id or cat in " + event.dump());
      if (phase == "f" && event.value("bp", "") != "e") fault("an f that binds to what comes behind it");
      flows_[event["id"].dump()].push_back(event);
    } else if (phase == "X") {
      const nlohmann::json lasts = event.value("dur", nlohmann::json());
      if (!lasts.is_number() || lasts < 0) return fault("no dur in " + event.dump());
      const long long begin = ns_of(at);
      slices_[track].push_back({begin, begin + ns_of(lasts), event.value("args", nlohmann::json::object())});
    } else if (phase == "B") {
      open_[track].push_back({ns_of(at), 0, event.value("args", nlohmann::json::object())});
    } else if (phase == "E") {
      if (open_[track].empty()) return fault("an E without its B");
      Slice slice = open_[track].back();
      open_[track].pop_back();
      slice.end = ns_of(at);
      slices_[track].push_back(slice);
    } else {
      fault("unknown phase in " + event.dump());
    }
  }

  void take_name(const nlohmann::json& event) {
    const int pid = event["pid"];
    const std::string name = event["name"];
    const nlohmann::json args = event.value("args", nlohmann::json::object());
    if (name.ends_with("_sort_index")) {
      if (!args.value("sort_index", nlohmann::json()).is_number_integer()) fault("no number in " + event.dump());
      return;
    }
    if (!args.value("name", nlohmann::json()).is_string()) return fault("no name in " + event.dump());
    if (name == "process_name") {
      if (!named_pids_.insert(pid).second) fault(fmt::format("process {} is named twice", pid));
    } else if (name == "thread_name") {
      if (!named_tracks_.emplace(pid, event.value("tid", 0)).second) fault("a track is named twice: " + event.dump());
    } else {
      fault("unknown metadata " + event.dump());
    }
  }

  void take_counter(const nlohmann::json& event) {
    const nlohmann::json args = event.value("args", nlohmann::json::object());
    if (args.empty()) fault("a counter without a value: " + event.dump());
    for (const auto& [series, value] : args.items()) {
      if (!value.is_number()) fault("a counter that is no number: " + event.dump());
    }
  }

  void check_nesting(const Track& track, std::vector<Slice>& slices) {
    std::ranges::stable_sort(
        slices, [](const Slice& a, const Slice& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
    std::vector<long long> open;  // ends
    for (const Slice& slice : slices) {
      while (!open.empty() && open.back() <= slice.begin) open.pop_back();
      if (!open.empty() && slice.end > open.back()) {
        fault(fmt::format("track {}.{}: two slices overlap at {} ns", track.first, track.second, slice.begin));
      }
      open.push_back(slice.end);
    }
  }

  // The innermost slice, to which an event at this time binds.
  const Slice* slice_at(const Track& track, long long at) {
    const auto& slices = slices_[track];
    const auto behind = std::ranges::upper_bound(slices, at, {}, &Slice::begin);
    for (auto slice = behind; slice != slices.begin();) {
      --slice;
      if (slice->end > at) return &*slice;
      if (at - slice->begin > 60'000'000'000) break;
    }
    return nullptr;
  }

  void check_flow(const std::string& id, const std::vector<nlohmann::json>& events) {
    if (events.size() < 2 || events.front()["ph"] != "s" || events.back()["ph"] != "f") {
      return fault("flow " + id + " does not go from an s to an f");
    }
    long long before = 0;
    nlohmann::json batch;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const nlohmann::json& event = events[i];
      if (i > 0 && i + 1 < events.size() && event["ph"] != "t") fault("flow " + id + " begins or ends twice");
      const long long at = ns_of(event["ts"]);
      if (at < before) fault("flow " + id + " goes back in time");
      before = at;
      const Slice* slice = slice_at({event["pid"], event["tid"]}, at);
      if (slice == nullptr) {
        fault("flow " + id + " goes through no slice: " + event.dump());
        continue;
      }
      const nlohmann::json of = slice->args.value("batch", nlohmann::json());
      if (batch.is_null()) batch = of;
      if (of.is_null() || of != batch) fault("flow " + id + " changes its batch: " + event.dump());
    }
  }

  std::vector<std::string> faults_;
  std::set<int> pids_;
  std::set<int> named_pids_;
  std::set<Track> named_tracks_;
  std::map<Track, std::vector<Slice>> slices_;
  std::map<Track, std::vector<Slice>> open_;  // begun by a B
  std::map<std::string, std::vector<nlohmann::json>> flows_;
};

}  // namespace

std::vector<std::string> faults_of_trace(const std::string& text) {
  return Checker().check(text);
}

std::vector<std::string> processes_in(const nlohmann::json& trace) {
  std::vector<std::string> names;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event["name"] == "process_name") names.push_back(event["args"]["name"]);
  }
  return names;
}

std::vector<std::string> tracks_in(const nlohmann::json& trace, int pid) {
  std::vector<std::string> names;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event["name"] == "thread_name" && event["pid"] == pid) names.push_back(event["args"]["name"]);
  }
  return names;
}

std::vector<nlohmann::json> events_in(const nlohmann::json& trace, const std::string& phase,
                                      const std::optional<std::string>& track) {
  std::map<Track, std::string> names;
  std::vector<nlohmann::json> events;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event["name"] == "thread_name") names[{event["pid"], event["tid"]}] = event["args"]["name"];
    if (event["ph"] != phase) continue;
    if (!track || names[{event["pid"], event.value("tid", 0)}] == *track) events.push_back(event);
  }
  return events;
}

}  // namespace loadline::test
