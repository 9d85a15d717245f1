#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "harness/plan/settings.h"
#include "harness/show/csv.h"
#include "harness/show/report/report.h"

namespace loadline {
namespace {

// A trial with its run and cell.
struct CsvPlace {
  const Result& result;
  const CellResult& cell;
  const Trial& trial;
};

struct CsvColumn {
  std::string_view name;
  std::string (*text)(const CsvPlace& at);  // empty: there is no value
};

template <typename T>
std::string text_or_empty(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

// The share of the dataset's files that the page cache holds.
std::string resident_share(const std::optional<Residency>& look) {
  if (!look || !look->resident_pages || look->pages == 0) return "";
  return fmt::format("{}", static_cast<double>(*look->resident_pages) / static_cast<double>(look->pages));
}

const DatasetFacts& dataset_of(const CsvPlace& at) {
  return at.result.datasets[at.cell.dataset];
}

template <auto member>
std::string of_trial(const CsvPlace& at) {
  return fmt::format("{}", at.trial.*member);
}

template <auto member>
std::string of_wait(const CsvPlace& at) {
  return fmt::format("{}", at.trial.wait.*member);
}

template <auto member>
std::string of_usage(const CsvPlace& at) {
  return fmt::format("{}", at.trial.usage.*member);
}

// Empty where the system does not report it.
template <auto member>
std::string of_known_usage(const CsvPlace& at) {
  return text_or_empty(at.trial.usage.*member);
}

// The sum over all workers.
std::string loader_seconds(const Trial& trial, WorkerStage stage) {
  if (!trial.loader_stages) return "";
  const auto& stages = trial.loader_stages->stages;
  const auto found = std::ranges::find(stages, stage, &LoaderStage::stage);
  if (found == stages.end()) return "";
  return fmt::format("{}", std::accumulate(found->seconds.begin(), found->seconds.end(), 0.0));
}

// "loader_slot_wait_seconds".
std::string column_of(WorkerStage stage) {
  std::string text(name(stage));
  std::ranges::replace(text, ' ', '_');
  return fmt::format("loader_{}_seconds", text);
}

// Before the settings: which trial of which run.
constexpr std::array kIdentity{
    CsvColumn{"run_id", [](const CsvPlace& at) { return at.result.run_id; }},
    CsvColumn{"started", [](const CsvPlace& at) { return at.result.started; }},
    CsvColumn{"hostname", [](const CsvPlace& at) { return text_or_empty(at.result.environment.machine.hostname); }},
    CsvColumn{"cell", [](const CsvPlace& at) { return at.cell.cell.name(); }},
    CsvColumn{"round", of_trial<&Trial::round>},
    CsvColumn{"place", of_trial<&Trial::place>},
    CsvColumn{"started_seconds", of_trial<&Trial::started_seconds>},
};

// After them: what was measured.
constexpr std::array kMeasuredColumns{
    CsvColumn{"pilot", of_trial<&Trial::pilot>},
    CsvColumn{"prefetch_in_force", [](const CsvPlace& at) { return fmt::format("{}", at.cell.prefetch); }},
    CsvColumn{"slots", [](const CsvPlace& at) { return fmt::format("{}", at.cell.slots); }},
    CsvColumn{"fingerprint",
              [](const CsvPlace& at) {
                const auto& fingerprint = dataset_of(at).fingerprint;
                return fingerprint ? fmt::format("{:016x}", *fingerprint) : "";
              }},
    CsvColumn{"resident_before", [](const CsvPlace& at) { return resident_share(at.trial.page_cache.before); }},
    CsvColumn{"resident_after", [](const CsvPlace& at) { return resident_share(at.trial.page_cache.after); }},
    CsvColumn{"samples_per_second",
              [](const CsvPlace& at) { return fmt::format("{}", at.trial.samples_per_second()); }},
    CsvColumn{"tokens_per_second", [](const CsvPlace& at) { return text_or_empty(at.trial.tokens_per_second()); }},
    CsvColumn{"padding_tokens", [](const CsvPlace& at) { return text_or_empty(at.trial.padding); }},
    CsvColumn{"cut_tokens", [](const CsvPlace& at) { return text_or_empty(at.trial.cut_tokens); }},
    CsvColumn{"wall_seconds", of_trial<&Trial::wall_seconds>},
    CsvColumn{"samples", of_trial<&Trial::samples>},
    CsvColumn{"batches", of_trial<&Trial::batches>},
    CsvColumn{"bytes", of_trial<&Trial::bytes>},
    CsvColumn{"setup_seconds", of_trial<&Trial::setup_seconds>},
    CsvColumn{"compute_setup_seconds", of_trial<&Trial::compute_setup_seconds>},
    CsvColumn{"first_batch_seconds", of_trial<&Trial::first_batch_seconds>},
    CsvColumn{"warm_up_batches", of_trial<&Trial::warm_up_batches>},
    CsvColumn{
        "fill_samples_per_second",
        [](const CsvPlace& at) { return at.trial.fill ? fmt::format("{}", at.trial.fill->samples_per_second()) : ""; }},
    CsvColumn{
        "ready_at_start",
        [](const CsvPlace& at) { return at.trial.queue ? fmt::format("{}", at.trial.queue->ready_at_start) : ""; }},
    CsvColumn{"ready_at_end",
              [](const CsvPlace& at) { return at.trial.queue ? fmt::format("{}", at.trial.queue->ready_at_end) : ""; }},
    CsvColumn{"wait_total_seconds", of_wait<&WaitSummary::total_seconds>},
    CsvColumn{"wait_p50_seconds", of_wait<&WaitSummary::p50_seconds>},
    CsvColumn{"wait_p95_seconds", of_wait<&WaitSummary::p95_seconds>},
    CsvColumn{"wait_p99_seconds", of_wait<&WaitSummary::p99_seconds>},
    CsvColumn{"wait_max_seconds", of_wait<&WaitSummary::max_seconds>},
    CsvColumn{"gradient_share",
              [](const CsvPlace& at) {
                return at.trial.ranks ? text_or_empty(at.trial.ranks->gradient_share()) : std::string();
              }},
    CsvColumn{"user_cpu_seconds", of_usage<&Usage::user_cpu_seconds>},
    CsvColumn{"system_cpu_seconds", of_usage<&Usage::system_cpu_seconds>},
    CsvColumn{"voluntary_switches", of_usage<&Usage::voluntary_switches>},
    CsvColumn{"involuntary_switches", of_usage<&Usage::involuntary_switches>},
    CsvColumn{"run_delay_seconds", of_known_usage<&Usage::run_delay_seconds>},
    CsvColumn{"blocked_io_seconds", of_known_usage<&Usage::blocked_io_seconds>},
    CsvColumn{"idle_seconds", of_known_usage<&Usage::idle_seconds>},
    CsvColumn{"steal_seconds", of_known_usage<&Usage::steal_seconds>},
    CsvColumn{"throttled_seconds", of_known_usage<&Usage::throttled_seconds>},
    CsvColumn{"minor_faults", of_usage<&Usage::minor_faults>},
    CsvColumn{"major_faults", of_usage<&Usage::major_faults>},
    CsvColumn{"peak_rss_bytes", [](const CsvPlace& at) { return text_or_empty(at.trial.usage.peak_rss_bytes); }},
    CsvColumn{"device_read_bytes", [](const CsvPlace& at) { return text_or_empty(at.trial.usage.device_read_bytes); }},
};

}  // namespace

std::string report_csv(std::span<const Result> results) {
  std::string csv;
  for (const CsvColumn& column : kIdentity) csv += fmt::format("{},", column.name);
  for (const SettingRow& setting : settings()) csv += fmt::format("{},", setting.name);
  for (const CsvColumn& column : kMeasuredColumns) csv += fmt::format("{},", column.name);
  for (const WorkerStage stage : stages_in_order()) csv += column_of(stage) + ',';
  csv.back() = '\n';
  for (const Result& result : results) {
    for (const CellResult& cell : result.cells) {
      std::string of_cell;
      for (const SettingRow& setting : settings()) of_cell += csv_field(text_of(setting.read(cell.cell))) + ',';
      for (const Trial& trial : cell.trials) {
        const CsvPlace at{result, cell, trial};
        for (const CsvColumn& column : kIdentity) csv += csv_field(column.text(at)) + ',';
        csv += of_cell;
        for (const CsvColumn& column : kMeasuredColumns) csv += csv_field(column.text(at)) + ',';
        for (const WorkerStage stage : stages_in_order()) csv += loader_seconds(trial, stage) + ',';
        csv.back() = '\n';
      }
    }
  }
  return csv;
}

}  // namespace loadline
