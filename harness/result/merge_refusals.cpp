#include "harness/result/merge_refusals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/machine.h"
#include "harness/plan/options.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// What must be equal for trials to be merged.
struct Trait {
  std::string_view name;
  std::string (*of)(const Result& result);
};

template <typename T>
std::string or_unknown(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "unknown";
}

const Build& build(const Result& result) {
  return result.environment.build;
}
const Machine& machine(const Result& result) {
  return result.environment.machine;
}

constexpr std::array kTraits{
    Trait{"version", [](const Result& r) { return build(r).version; }},
    Trait{"revision", [](const Result& r) { return or_unknown(build(r).git_revision); }},
    Trait{"build type", [](const Result& r) { return or_unknown(build(r).build_type); }},
    Trait{"compiler", [](const Result& r) { return or_unknown(build(r).compiler); }},
    Trait{"compiler flags", [](const Result& r) { return or_unknown(build(r).flags); }},
    Trait{"sanitizer", [](const Result& r) { return build(r).sanitizer.value_or("none"); }},
    Trait{"ranks in one run", [](const Result& r) { return fmt::format("{}", r.ranks ? r.ranks->places.size() : 1); }},
    Trait{"kernels", [](const Result& r) { return r.kernels; }},
    Trait{"CPU", [](const Result& r) { return or_unknown(machine(r).cpu_model); }},
    Trait{"cores", [](const Result& r) { return or_unknown(machine(r).physical_cores); }},
    Trait{"CPUs in force", [](const Result& r) { return fmt::format("{:.4g}", cpus_in_force(machine(r))); }},
    Trait{"last-level cache", [](const Result& r) { return or_unknown(machine(r).last_level_cache_bytes); }},
    Trait{"kernel release", [](const Result& r) { return or_unknown(machine(r).kernel_release); }},
};

// Trials of other lengths differ for no other reason. Of runs of a whole sweep the one may just add further trials, but
// cells of shares would have more trials in one share than in another.
bool makes_trials_alike(const OptionRow& row, bool any_share) {
  constexpr std::array kLengths{"trial-seconds", "trial-batches", "warm-up-batches"};
  constexpr std::array kNumbers{"trials", "until-ci", "max-trials"};
  const auto is_row = [&](std::string_view name) { return name == row.name; };
  return std::ranges::any_of(kLengths, is_row) || (any_share && std::ranges::any_of(kNumbers, is_row));
}

std::string option_text(const Result& result, const OptionRow& row) {
  const std::string text = text_of(read_option(result.options, row));
  return text.empty() ? "unset" : text;
}

void check_alike(const MergePart& first, const MergePart& other) {
  std::vector<std::string> differences;
  for (const Trait& trait : kTraits) {
    const std::string a = trait.of(first.result);
    const std::string b = trait.of(other.result);
    if (a != b) differences.push_back(fmt::format("{} ({}, not {})", trait.name, b, a));
  }
  const bool any_share = !first.result.options.part.empty() || !other.result.options.part.empty();
  for (const OptionRow& row : run_options()) {
    if (!makes_trials_alike(row, any_share)) continue;
    const std::string a = option_text(first.result, row);
    const std::string b = option_text(other.result, row);
    if (a != b) differences.push_back(fmt::format("--{} ({}, not {})", row.name, b, a));
  }
  if (differences.empty()) return;
  throw Error(fmt::format("cannot merge {} with {}: it differs in {}; --allow-mismatch merges them anyway",
                          other.source, first.source, fmt::join(differences, ", ")));
}

// What identifies the samples of a cell.
std::string data_key(const Cell& cell) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", key_of(cell, {SettingPart::kStorage}), cell.dataset.crops,
                     cell.dataset.crop_edge, cell.dataset.sequence_length, name(cell.dataset.sequences));
}

void check_data(const std::vector<MergePart>& parts) {
  struct Known {
    const DatasetFacts* facts;
    std::string source;
  };
  std::map<std::string, Known> data;
  for (const MergePart& part : parts) {
    for (const CellResult& cell : part.result.cells) {
      // Data that must not be read before it is measured has no fingerprint.
      const DatasetFacts& facts = part.result.datasets[cell.dataset];
      if (!facts.fingerprint) continue;
      const auto [known, is_new] = data.emplace(data_key(cell.cell), Known{&facts, part.source});
      if (is_new || !samples_differ(*known->second.facts, facts)) continue;
      throw Error(fmt::format("cannot merge {} with {}: {} held other samples (fingerprint {:016x}, not {:016x})",
                              part.source, known->second.source, cell.cell.data.string(), *facts.fingerprint,
                              *known->second.facts->fingerprint));
    }
  }
}

void check_named_files(const std::vector<MergePart>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (const MergePart& earlier : std::span(parts).first(i)) {
      for (const NamedFile& file : parts[i].result.named_files) {
        const NamedFile* const other = other_contents(earlier.result.named_files, file);
        if (other == nullptr) continue;
        throw Error(
            fmt::format("cannot merge {} with {}: {} has changed in between (its hash was {:016x} and is {:016x})",
                        parts[i].source, earlier.source, file.path.string(), other->hash, file.hash));
      }
    }
  }
}

}  // namespace

void refuse_repeated_runs(const std::vector<MergePart>& parts) {
  std::map<std::string, std::string> sources;
  for (const MergePart& part : parts) {
    for (const std::string& run : runs_of(part.result)) {
      const auto [known, is_new] = sources.emplace(run, part.source);
      if (is_new) continue;
      throw Error(fmt::format("cannot merge {}: run {} is already in {}", part.source, run, known->second));
    }
  }
}

void refuse_unlike_parts(const std::vector<MergePart>& parts, bool allow_mismatch) {
  for (const MergePart& part : parts) {
    if (part.result.search || part.result.best)
      throw Error(fmt::format("cannot merge {}: it is the result of a search", part.source));
    if (!allow_mismatch) check_alike(parts.front(), part);
  }
  check_data(parts);
  check_named_files(parts);
}

}  // namespace loadline
