// Where, with what and on what the runs were made.
#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/result/memory_words.h"
#include "harness/show/columns.h"
#include "harness/show/placement_text.h"
#include "harness/show/report/rows.h"
#include "harness/show/report/sections.h"
#include "harness/show/setting_text.h"
#include "harness/show/staging_text.h"

namespace loadline {
namespace {

std::string text_of_fact(const std::optional<std::string>& text) {
  return text.value_or("");
}

std::string text_of_fact(const std::optional<std::size_t>& number) {
  return number ? fmt::format("{}", *number) : "";
}

std::string text_of_fact(const std::optional<bool>& fact) {
  return !fact ? "" : *fact ? "yes" : "no";
}

std::string text_of_fact(const std::optional<double>& number) {
  return number ? plain_number(*number, 4) : "";
}

std::string bytes_text(const std::optional<std::uint64_t>& bytes) {
  return bytes ? size_words(*bytes) : "";
}

struct MachineFact {
  std::string name;
  std::function<std::string(const Result& result)> read;  // empty: not known
};

std::string libraries_text(const Build& build) {
  std::string text;
  for (const auto& library : build.libraries) {
    if (library.version) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", library.name, *library.version);
  }
  return text;
}

std::string revision_text(const Build& build) {
  if (!build.git_revision) return "";
  return *build.git_revision + (build.git_dirty.value_or(false) ? " with changes" : "");
}

std::string resident_text(const Residency& residency) {
  if (!residency.resident_pages || residency.pages == 0) return "unknown";
  const double share = static_cast<double>(*residency.resident_pages) / static_cast<double>(residency.pages);
  return fmt::format("{} %", plain_number(100 * share, 4));
}

std::string dataset_text(const DatasetFacts& facts) {
  if (facts.info.access == Access::kUnknown) return facts.path.string() + ": read by an outside loader";
  const StorageFacts& storage = facts.storage;
  return fmt::format(
      "{}: {}, {}{}, {}; on {} ({}); in the page cache {} found, {} before, "
      "{} after the trials",
      facts.path.string(), facts.info.format, plural(facts.info.samples, "sample"), fingerprint_text(facts),
      name(facts.info.access), storage.file_system.value_or("an unknown file system"),
      storage.device.value_or("device unknown"), resident_text(facts.found), resident_text(facts.before),
      facts.after ? resident_text(*facts.after) : "unknown");
}

const std::vector<MachineFact>& facts() {
  static const std::vector<MachineFact> kFacts{
      {"run id", [](const Result& r) { return r.run_id; }},
      {"started", [](const Result& r) { return r.started; }},
      {"finished", [](const Result& r) { return r.finished.value_or("not finished"); }},
      {"host", [](const Result& r) { return text_of_fact(r.environment.machine.hostname); }},
      {"job",
       [](const Result& r) {
         return r.environment.job ? fmt::format("{} {}", r.environment.job->scheduler, r.environment.job->id) : "";
       }},
      {"CPU", [](const Result& r) { return text_of_fact(r.environment.machine.cpu_model); }},
      {"CPUs in force", [](const Result& r) { return plain_number(cpus_in_force(r.environment.machine), 4); }},
      {"logical CPUs", [](const Result& r) { return text_of_fact(r.environment.machine.logical_cpus); }},
      {"physical cores", [](const Result& r) { return text_of_fact(r.environment.machine.physical_cores); }},
      {"sockets", [](const Result& r) { return text_of_fact(r.environment.machine.sockets); }},
      {"NUMA nodes", [](const Result& r) { return text_of_fact(r.environment.machine.numa_nodes); }},
      {"CPU governor", [](const Result& r) { return text_of_fact(r.environment.machine.cpu_governor); }},
      {"virtualised", [](const Result& r) { return text_of_fact(r.environment.machine.virtualised); }},
      {"load average, one minute",
       [](const Result& r) { return text_of_fact(r.environment.machine.load_average_1_minute); }},
      {"memory", [](const Result& r) { return bytes_text(r.environment.machine.memory_total_bytes); }},
      {"memory limit of the cgroup",
       [](const Result& r) { return bytes_text(r.environment.machine.cgroup_memory_limit_bytes); }},
      {"last-level cache", [](const Result& r) { return bytes_text(r.environment.machine.last_level_cache_bytes); }},
      {"operating system", [](const Result& r) { return text_of_fact(r.environment.machine.operating_system); }},
      {"kernel", [](const Result& r) { return text_of_fact(r.environment.machine.kernel_release); }},
      {"loadline", [](const Result& r) { return r.environment.build.version; }},
      {"build type", [](const Result& r) { return text_of_fact(r.environment.build.build_type); }},
      {"revision", [](const Result& r) { return revision_text(r.environment.build); }},
      {"compiler", [](const Result& r) { return text_of_fact(r.environment.build.compiler); }},
      {"flags", [](const Result& r) { return text_of_fact(r.environment.build.flags); }},
      {"libraries", [](const Result& r) { return libraries_text(r.environment.build); }},
      {"kernels in use", [](const Result& r) { return r.kernels; }},
  };
  return kFacts;
}

}  // namespace

Section machine_section(const ReportData& data) {
  Section section{.id = "machine", .title = "Machine, data and build", .reading = ""};
  section.table.columns = {{"run", "run"}, {"fact", "what"}, {"value", "value"}};
  const auto add = [&](const Run& run, const std::string& what, std::string value) {
    if (!value.empty()) section.table.rows.push_back({run.name, what, std::move(value)});
  };
  for (const Run& run : data.runs) {
    for (const MachineFact& fact : facts()) add(run, fact.name, fact.read(run.result));
    for (const DatasetFacts& dataset : run.result.datasets) add(run, "data", dataset_text(dataset));
    for (const DatasetFacts& dataset : run.result.datasets) {
      if (dataset.staged) add(run, "staged", staged_words(*dataset.staged, dataset.path));
    }
    for (std::string& line : placement_lines(run.result)) add(run, "placement", std::move(line));
  }
  return section;
}

}  // namespace loadline
