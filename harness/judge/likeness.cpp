#include "harness/judge/likeness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <type_traits>

#include "harness/machine/machine.h"

namespace loadline {
namespace {

struct Fact {
  std::string_view what;
  std::string (*read)(const Result& result);
};

template <typename T>
std::string text(const std::optional<T>& fact) {
  return fact ? fmt::format("{}", *fact) : "unknown";
}

// Virtual machines of the same size differ by some MiB.
std::string gibibytes(const std::optional<std::uint64_t>& bytes) {
  return bytes ? fmt::format("{:.0f} GiB", static_cast<double>(*bytes) / (1 << 30)) : "unknown";
}

std::string mebibytes(const std::optional<std::uint64_t>& bytes) {
  return bytes ? fmt::format("{} MiB", *bytes >> 20) : "unknown";
}

std::string revision(const Build& build) {
  return text(build.git_revision) + (build.git_dirty.value_or(false) ? " with changes" : "");
}

std::string libraries(const Build& build) {
  std::vector<std::string> known;
  for (const Build::Library& library : build.libraries) {
    known.push_back(fmt::format("{} {}", library.name, text(library.version)));
  }
  return fmt::format("{}", fmt::join(known, ", "));
}

std::string trial_length(const Result& result) {
  const RunOptions& options = result.options;
  return options.trial_batches ? fmt::format("{} batches", *options.trial_batches)
                               : fmt::format("{} s", options.trial_seconds);
}

std::string file_systems(const Result& result) {
  std::set<std::string> names;
  for (const DatasetFacts& facts : result.datasets) names.insert(text(facts.storage.file_system));
  return fmt::format("{}", fmt::join(names, ", "));
}

constexpr Fact kDecisive[] = {
    {"CPU", [](const Result& r) { return text(r.environment.machine.cpu_model); }},
    {"CPUs in force", [](const Result& r) { return fmt::format("{:.4g}", cpus_in_force(r.environment.machine)); }},
    {"processes", [](const Result& r) { return fmt::format("{}", r.ranks ? r.ranks->places.size() : 1); }},
    {"memory", [](const Result& r) { return gibibytes(r.environment.machine.memory_total_bytes); }},
    {"last-level cache", [](const Result& r) { return mebibytes(r.environment.machine.last_level_cache_bytes); }},
    {"kernels", [](const Result& r) { return r.kernels; }},
    {"build type", [](const Result& r) { return text(r.environment.build.build_type); }},
    {"sanitizer", [](const Result& r) { return r.environment.build.sanitizer.value_or("none"); }},
};

constexpr Fact kNoteworthy[] = {
    {"version", [](const Result& r) { return r.environment.build.version; }},
    {"revision", [](const Result& r) { return revision(r.environment.build); }},
    {"compiler", [](const Result& r) { return text(r.environment.build.compiler); }},
    {"flags", [](const Result& r) { return text(r.environment.build.flags); }},
    {"libraries", [](const Result& r) { return libraries(r.environment.build); }},
    {kHost, [](const Result& r) { return text(r.environment.machine.hostname); }},
    {"operating system", [](const Result& r) { return text(r.environment.machine.operating_system); }},
    {"kernel", [](const Result& r) { return text(r.environment.machine.kernel_release); }},
    {"CPU governor", [](const Result& r) { return text(r.environment.machine.cpu_governor); }},
    {"huge pages", [](const Result& r) { return text(r.environment.machine.transparent_huge_pages); }},
    {"file systems", file_systems},
    {"length of trials", trial_length},
};

std::vector<Difference> differences(std::span<const Fact> facts, const Result& base, const Result& changed) {
  std::vector<Difference> found;
  for (const Fact& fact : facts) {
    Difference difference{std::string(fact.what), fact.read(base), fact.read(changed)};
    if (difference.base != difference.changed) found.push_back(std::move(difference));
  }
  return found;
}

}  // namespace

std::vector<Difference> unlike(const Result& base, const Result& changed) {
  return differences(kDecisive, base, changed);
}

std::vector<Difference> noteworthy(const Result& base, const Result& changed) {
  return differences(kNoteworthy, base, changed);
}

std::vector<Difference> changed_files(const Result& base, const Result& changed) {
  std::vector<Difference> found;
  for (const NamedFile& file : changed.named_files) {
    const NamedFile* const before = other_contents(base.named_files, file);
    if (before == nullptr) continue;
    const Difference difference{fmt::format("contents of {}", file.path.string()),
                                fmt::format("hash {:016x}", before->hash), fmt::format("hash {:016x}", file.hash)};
    if (std::ranges::find(found, difference) == found.end()) found.push_back(difference);
  }
  return found;
}

}  // namespace loadline
