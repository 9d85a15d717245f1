#include "harness/judge/changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "loaders/loader.h"

namespace loadline {
namespace {

struct Consequence {
  std::string_view setting;
  std::string_view from;
};

constexpr std::array kConsequences{
    Consequence{"read", "loader"},        Consequence{"format", "loader"},
    Consequence{"split", "loader"},       Consequence{"labels", "loader"},
    Consequence{"hdf5_images", "loader"}, Consequence{"hdf5_labels", "loader"},
    Consequence{"in_memory", "loader"},   Consequence{"mean", "dtype"},
    Consequence{"std", "dtype"},          Consequence{"precision", "compute"},
    Consequence{"fusion", "compute"},     Consequence{"compute_threads", "compute"},
    Consequence{"page_samples", "order"}, Consequence{"window_samples", "order"},
    Consequence{"read_ahead", "read"},    Consequence{"reads_in_flight", "read"},
};

bool applies(const SettingRow& row, const Cell& cell) {
  return !std::holds_alternative<std::monostate>(row.read(cell));
}

// Whether the two loaders open their data in different ways, as the mapped one opens HDF5.
bool other_access(const Cell& base, const Cell& changed) {
  const auto access = [](const Cell& cell) {
    const LoaderKind* known = cell.loader ? known_loader(*cell.loader) : nullptr;
    return known != nullptr ? known->access : std::nullopt;
  };
  return access(base) != access(changed);
}

// "npy", "npy with channels last".
std::string format_words(const DatasetInfo& info) {
  return fmt::format("{}{}", info.format, info.channels_last ? " with channels last" : "");
}

// The word for a setting that does not apply, or was left open.
std::string value_text(const SettingRow& row, const Cell& cell) {
  std::string text = text_of(row.read(cell));
  if (!text.empty()) return text;
  return row.name == "prefetch" ? "auto" : "none";
}

bool is_consequence(const SettingRow& row, const Cell& base, const Cell& changed) {
  if (row.name == "workers") return false;
  // Without workers there is nothing to prefetch; with them it may have been left open.
  if (row.name == "prefetch") return base.workers == 0 || changed.workers == 0;
  if (follows(row.name, "loader")) return other_access(base, changed);
  if (follows(row.name, "dtype")) {
    const bool normalised_once = base.transform.mean.empty() != changed.transform.mean.empty();
    return normalised_once && base.transform.dtype != changed.transform.dtype;
  }
  return !applies(row, base) || !applies(row, changed);
}

}  // namespace

std::vector<const SettingRow*> choices() {
  std::vector<const SettingRow*> rows;
  for (const SettingRow& row : settings()) {
    const bool shared = row.name == "workload" || row.name == "mode" || row.name == "data";
    if (!shared && row.part != SettingPart::kMachine) rows.push_back(&row);
  }
  return rows;
}

std::string words_of(std::string_view setting) {
  std::string words(setting);
  std::ranges::replace(words, '_', ' ');
  return words;
}

bool follows(std::string_view setting, std::string_view from) {
  return std::ranges::any_of(kConsequences,
                             [&](const Consequence& known) { return known.setting == setting && known.from == from; });
}

std::vector<Difference> changes_between(const Cell& base, const Cell& changed) {
  std::vector<Difference> changes;
  for (const SettingRow* row : choices()) {
    if (row->read(base) == row->read(changed) || is_consequence(*row, base, changed)) continue;
    changes.push_back({words_of(row->name), value_text(*row, base), value_text(*row, changed)});
  }
  return changes;
}

std::vector<Difference> changes_between(const Result& base, std::size_t base_cell, const Result& changed,
                                        std::size_t changed_cell) {
  const CellResult& a = base.cells[base_cell];
  const CellResult& b = changed.cells[changed_cell];
  std::vector<Difference> changes = changes_between(a.cell, b.cell);
  if (!uses_loader(a.cell.mode) || other_access(a.cell, b.cell)) return changes;
  const std::string before = format_words(base.datasets[a.dataset].info);
  const std::string after = format_words(changed.datasets[b.dataset].info);
  std::erase_if(changes, [](const Difference& change) { return change.what == "format"; });
  if (before != after) changes.push_back({"format", before, after});
  return changes;
}

std::string shared_name(const Cell& base, std::span<const Difference> changes) {
  Cell shared = base;
  for (const Difference& change : changes) {
    if (change.what == "loader") shared.loader.reset();
    if (change.what == "workers") shared.workers = 0;
    std::erase_if(shared.axes, [&](const std::string& axis) { return words_of(axis) == change.what; });
  }
  std::string name = shared.name();
  const bool other_batch = std::ranges::any_of(changes, [](const Difference& one) { return one.what == "batch size"; });
  const std::string batch = fmt::format("/batch:{}", base.sampler.batch_size);
  if (const std::size_t at = name.find(batch); other_batch && at != std::string::npos) name.erase(at, batch.size());
  return name;
}

std::string changes_text(std::span<const Difference> changes) {
  std::vector<std::string> texts;
  for (const Difference& change : changes) {
    texts.push_back(fmt::format("{} {} -> {}", change.what, change.base, change.changed));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace loadline
