#include "harness/judge/scaling_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/machine/build_facts.h"
#include "loaders/error.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

std::string ranks_text_of(std::size_t ranks) {
  return ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks);
}

void check_one(const ScalingPart& part) {
  const Result& result = part.result;
  if (!result.merged_from.empty()) {
    throw Error(
        fmt::format("scale: {} was merged from {} results, which were not measured together: give results of "
                    "ranks that one launcher started as one run",
                    part.file, result.merged_from.size()));
  }
  const std::size_t world = result.options.world_size;
  if (!result.ranks && world > 1) {
    throw Error(
        fmt::format("scale: {} is the result of one rank of {}, measured by itself: give results of ranks that one "
                    "launcher started as one run",
                    part.file, world));
  }
}

void check_pair(const ScalingPart& before, const ScalingPart& part) {
  if (ranks_of(before.result) == ranks_of(part.result)) {
    throw usage_error(
        fmt::format("scale: {} and {} both have {}", before.file, part.file, ranks_text_of(ranks_of(part.result))));
  }
  for (const DatasetFacts& data : part.result.datasets) {
    for (const DatasetFacts& other : before.result.datasets) {
      if (data.info.format != other.info.format || !samples_differ(data, other)) continue;
      if (!same_place(data, other)) continue;  // of another workload
      throw Error(fmt::format("scale: {} and {} were measured on other data: {} has changed", before.file, part.file,
                              data.path.string()));
    }
  }
}

// "warnings: few-trials (2 ranks), machine-busy (1 and 2 ranks)", as `run` names them; empty where no run has any.
std::string warnings_note(std::span<const ScalingPart> parts) {
  std::map<std::string, std::set<std::size_t>> ranks_of_kind;
  for (const ScalingPart& part : parts) {
    for (const Warning& warning : part.judgement.warnings) ranks_of_kind[warning.id].insert(ranks_of(part.result));
  }
  std::string text;
  for (const auto& [kind, ranks] : ranks_of_kind) {
    std::vector<std::string> numbers;
    for (const std::size_t number : ranks) numbers.push_back(fmt::format("{}", number));
    text += fmt::format("{}{} ({} {})", text.empty() ? "warnings: " : ", ", kind, listed(numbers),
                        numbers == std::vector<std::string>{"1"} ? "rank" : "ranks");
  }
  return text;
}

}  // namespace

std::string files_text(std::span<const ScalingPart> parts) {
  std::vector<std::string> files;
  for (const ScalingPart& part : parts) files.push_back(part.file);
  return listed(files);
}

void check_scaling_parts(std::span<const ScalingPart> parts) {
  if (parts.size() < 2) throw usage_error("scale: want results with at least two numbers of ranks");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_one(parts[i]);
    if (i > 0) check_pair(parts[i - 1], parts[i]);
  }
}

std::vector<std::string> scaling_notes(std::span<const ScalingPart> parts, std::size_t left_out) {
  std::vector<std::string> notes;
  if (left_out > 0) {
    notes.push_back(fmt::format("Left out: {} not measured with every number of ranks.",
                                left_out == 1 ? "1 configuration" : fmt::format("{} configurations", left_out)));
  }
  const Environment& first = parts.front().result.environment;
  for (const ScalingPart& part : parts) {
    const Environment& here = part.result.environment;
    if (name_of(here.build) != name_of(first.build)) {
      notes.push_back(fmt::format("{} ran another build ({}) than {} ({}).", ranks_text_of(ranks_of(part.result)),
                                  name_of(here.build), ranks_text_of(ranks_of(parts.front().result)),
                                  name_of(first.build)));
    }
    if (here.machine.cpu_model != first.machine.cpu_model) {
      notes.push_back(fmt::format("{} ran on other CPUs ({}) than {} ({}).", ranks_text_of(ranks_of(part.result)),
                                  here.machine.cpu_model.value_or("unknown"),
                                  ranks_text_of(ranks_of(parts.front().result)),
                                  first.machine.cpu_model.value_or("unknown")));
    }
    if (part.result.status != Status::kComplete) {
      notes.push_back(fmt::format("The run with {} was stopped early.", ranks_text_of(ranks_of(part.result))));
    }
  }
  if (std::string warnings = warnings_note(parts); !warnings.empty()) notes.push_back(std::move(warnings));
  return notes;
}

}  // namespace loadline
