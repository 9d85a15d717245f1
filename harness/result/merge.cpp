#include "harness/result/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/machine/machine.h"
#include "harness/machine/run_id.h"
#include "harness/plan/settings.h"
#include "harness/result/counted.h"
#include "loaders/error.h"

namespace loadline {
namespace {

using P = SettingPart;

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

void check_alike(const MergePart& first, const MergePart& other) {
  std::vector<std::string> differences;
  for (const Trait& trait : kTraits) {
    const std::string a = trait.of(first.result);
    const std::string b = trait.of(other.result);
    if (a != b) differences.push_back(fmt::format("{} ({}, not {})", trait.name, b, a));
  }
  if (differences.empty()) return;
  throw Error(fmt::format("cannot merge {} with {}: it differs in {}; --allow-mismatch merges them anyway",
                          other.source, first.source, fmt::join(differences, ", ")));
}

std::vector<std::string> runs_of(const Result& result) {
  return result.merged_from.empty() ? std::vector{result.run_id} : result.merged_from;
}

void check_runs(const std::vector<MergePart>& parts) {
  std::map<std::string, std::string> sources;
  for (const MergePart& part : parts) {
    for (const std::string& run : runs_of(part.result)) {
      const auto [known, is_new] = sources.emplace(run, part.source);
      if (is_new) continue;
      throw Error(fmt::format("cannot merge {}: run {} is already in {}", part.source, run, known->second));
    }
  }
}

// What identifies the samples of a cell.
std::string data_key(const Cell& cell) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", key_of(cell, {P::kStorage}), cell.dataset.crops, cell.dataset.crop_edge,
                     cell.dataset.sequence_length, name(cell.dataset.sequences));
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

std::chrono::system_clock::time_point start_of(const MergePart& part) {
  const auto time = parse_utc_timestamp(part.result.started);
  if (!time) throw Error(fmt::format("{}: started: want a time in UTC, got '{}'", part.source, part.result.started));
  return *time;
}

// Calls visit(trial) for all trials of a result, whatever they belong to.
template <typename Visit>
void each_trial(Result& result, Visit visit) {
  for (CellResult& cell : result.cells) std::ranges::for_each(cell.trials, visit);
  for (CeilingResult& ceiling : result.ceilings) std::ranges::for_each(ceiling.trials, visit);
  for (CellResult& check : result.checks) std::ranges::for_each(check.trials, visit);
}

// Whether the run ended before the cell had all its trials.
bool was_cut_short(const std::optional<Stopped>& stopped) {
  return !stopped || stopped == Stopped::kTimeLimit;
}

// The measurements of the parts one after the other.
class Merger {
 public:
  // With the options of the merged result, and without any measurement.
  Result& result() { return merged_; }

  void add(Result part, double seconds_after_the_first) {
    std::size_t rounds = 0;
    each_trial(part, [&](auto& trial) {
      rounds = std::max(rounds, trial.round + 1);
      trial.round += rounds_;
      trial.started_seconds += seconds_after_the_first;
      if constexpr (requires { trial.clock_started_seconds; }) {
        if (trial.clock_started_seconds) *trial.clock_started_seconds += seconds_after_the_first;
      }
    });
    rounds_ += rounds;
    std::vector<std::size_t> datasets;
    for (DatasetFacts& facts : part.datasets) datasets.push_back(add_dataset(std::move(facts)));
    for (ExternalLoader& loader : part.loaders) {
      const auto known = std::ranges::find(merged_.loaders, loader.loader, &ExternalLoader::loader);
      if (known == merged_.loaders.end()) merged_.loaders.push_back(std::move(loader));
    }
    for (NamedFile& file : part.named_files) {
      const auto known = std::ranges::find(merged_.named_files, file.named_by, &NamedFile::named_by);
      if (known == merged_.named_files.end()) merged_.named_files.push_back(std::move(file));
    }
    for (CellResult& cell : part.cells) cell.dataset = datasets[cell.dataset];
    for (CellResult& check : part.checks) check.dataset = datasets[check.dataset];
    // The cells that ceilings belong to tell them apart.
    std::vector<std::size_t> ceilings;
    for (CeilingResult& ceiling : part.ceilings) {
      auto& dataset = ceiling.ceiling.dataset;
      if (dataset) dataset = datasets[*dataset];
      ceilings.push_back(add_ceiling(ceiling, part.cells[ceiling.cell].cell));
    }
    std::vector<std::size_t> cells;
    for (CellResult& cell : part.cells) {
      for (std::size_t& bound : cell.bounds) bound = ceilings[bound];
      cells.push_back(add_cell(std::move(cell), cell_indices_, merged_.cells));
    }
    for (std::size_t i = 0; i < part.ceilings.size(); ++i) {
      if (ceilings[i] >= ceilings_with_cells_) merged_.ceilings[ceilings[i]].cell = cells[part.ceilings[i].cell];
    }
    ceilings_with_cells_ = merged_.ceilings.size();
    for (CellResult& check : part.checks) add_cell(std::move(check), check_indices_, merged_.checks);
  }

 private:
  using Indices = std::map<std::string, std::size_t>;

  std::size_t add_dataset(DatasetFacts facts) {
    const auto found = std::ranges::find_if(merged_.datasets, [&](const DatasetFacts& known) {
      return known.path == facts.path && !samples_differ(known, facts) && known.info.format == facts.info.format &&
             known.info.access == facts.info.access && known.info.files == facts.info.files;
    });
    const auto index = static_cast<std::size_t>(found - merged_.datasets.begin());
    if (found == merged_.datasets.end()) {
      merged_.datasets.push_back(std::move(facts));
    } else if (!found->fingerprint) {
      found->fingerprint = facts.fingerprint;
      found->fingerprint_samples = facts.fingerprint_samples;
    }
    return index;
  }

  template <typename AnyTrial>
  static void append(std::vector<AnyTrial>& trials, std::vector<AnyTrial>& further) {
    trials.insert(trials.end(), std::make_move_iterator(further.begin()), std::make_move_iterator(further.end()));
  }

  std::size_t add_ceiling(CeilingResult& ceiling, const Cell& cell) {
    const bool of_batches = ceiling.ceiling.kind->scope == CeilingScope::kBatch;
    Ceiling bare = ceiling.ceiling;
    bare.further.clear();
    const std::string key = bare.id() + (of_batches ? key_of(cell, {P::kSubject, P::kOrder}) : "");
    const auto [known, is_new] = ceiling_indices_.emplace(key, merged_.ceilings.size());
    if (is_new) {
      merged_.ceilings.push_back(ceiling);
    } else {
      CeilingResult& into = merged_.ceilings[known->second];
      append(into.trials, ceiling.trials);
      if (!into.error) into.error = ceiling.error;
    }
    return known->second;
  }

  // Why a cell that two parts have has no further trials. `into` has the trials of both. Whether they reach the
  // interval together is left to those who judge them.
  std::optional<Stopped> stopped_of_both(const CellResult& into, std::optional<Stopped> other) const {
    if (!was_cut_short(into.stopped)) return into.stopped;
    if (merged_.options.until_ci) return was_cut_short(other) ? into.stopped : other;
    return count_of(into.trials) >= merged_.options.trials ? Stopped::kTrials : into.stopped;
  }

  std::size_t add_cell(CellResult cell, Indices& indices, std::vector<CellResult>& cells) const {
    const std::string key = cell.cell.mode == Mode::kOverhead ? cell.cell.name() : key_of(cell.cell);
    const auto [known, is_new] = indices.emplace(key, cells.size());
    if (is_new) {
      cells.push_back(std::move(cell));
      return known->second;
    }
    CellResult& into = cells[known->second];
    append(into.trials, cell.trials);
    into.stopped = stopped_of_both(into, cell.stopped);
    if (!into.first_epoch) into.first_epoch = cell.first_epoch;
    if (!into.error) into.error = cell.error;
    into.skipped.merge(cell.skipped);
    into.skipped_unnamed = std::max(into.skipped_unnamed, cell.skipped_unnamed);
    for (const std::size_t bound : cell.bounds) {
      if (std::ranges::find(into.bounds, bound) == into.bounds.end()) into.bounds.push_back(bound);
    }
    into.cell.axes.insert(into.cell.axes.end(), cell.cell.axes.begin(), cell.cell.axes.end());
    return known->second;
  }

  Result merged_;
  std::size_t rounds_ = 0;
  Indices cell_indices_;
  Indices check_indices_;
  Indices ceiling_indices_;
  std::size_t ceilings_with_cells_ = 0;  // whose index of a cell is that of the merged result
};

// Whether the cells have several values of the setting. `where_it_applies`: cells without a value do not count, such as
// those whose element type has no mean.
bool vary(const std::vector<const Cell*>& cells, const SettingRow& row, bool where_it_applies) {
  std::set<std::string> values;
  for (const Cell* cell : cells) values.insert(text_of(row.read(*cell)));
  if (where_it_applies) values.erase("");
  return values.size() > 1;
}

// Adds the settings of these parts that distinguish cells, or the cells of ceilings.
void add_distinctions(const std::vector<const Cell*>& cells, std::span<const SettingPart> parts, bool where_they_apply,
                      std::set<std::string>& axes) {
  for (const SettingRow& row : settings()) {
    if (std::ranges::find(parts, row.part) == parts.end()) continue;
    if (vary(cells, row, where_they_apply)) axes.emplace(row.name);
  }
}

// The same for cells whose names are alike.
void tell_apart(const std::vector<const Cell*>& alike, std::span<const SettingPart> parts,
                std::set<std::string>& axes) {
  if (alike.size() < 2) return;
  const std::size_t before = axes.size();
  add_distinctions(alike, parts, true, axes);
  if (axes.size() == before) add_distinctions(alike, parts, false, axes);
}

// The settings that vary within a workload and a mode: parts that were run with one value each have no axis for it.
std::set<std::string> varied_settings(const Result& result) {
  std::map<std::pair<std::string, Mode>, std::vector<const Cell*>> groups;
  for (const CellResult& cell : result.cells) groups[{cell.cell.workload, cell.cell.mode}].push_back(&cell.cell);
  std::set<std::string> varied;
  for (const auto& [group, cells] : groups) {
    add_distinctions(cells, std::array{P::kSubject, P::kStorage, P::kOrder, P::kLoading, P::kCompute}, true, varied);
  }
  // Every name has these.
  for (const char* const named : {"workload", "loader", "workers", "batch_size"}) varied.erase(named);
  return varied;
}

// Gives all cells the axes of all parts, and whatever else makes the names of cells and ceilings unique.
void name_apart(Result& result) {
  std::set<std::string> axes = varied_settings(result);
  for (const CellResult& cell : result.cells) axes.insert(cell.cell.axes.begin(), cell.cell.axes.end());
  for (std::size_t before = axes.size() + 1; before != axes.size();) {
    before = axes.size();
    std::vector<std::string> in_order;
    for (const SettingRow& row : settings()) {
      if (axes.contains(std::string(row.name))) in_order.emplace_back(row.name);
    }
    std::map<std::string, std::vector<const Cell*>> cells_by_name;
    for (CellResult& cell : result.cells) {
      cell.cell.axes = in_order;
      cells_by_name[cell.cell.name()].push_back(&cell.cell);
    }
    std::map<std::string, std::vector<const Cell*>> ceilings_by_id;
    for (CeilingResult& ceiling : result.ceilings) {
      const Cell& cell = result.cells[ceiling.cell].cell;
      const bool of_batches = ceiling.ceiling.kind->scope == CeilingScope::kBatch;
      if (!of_batches) continue;
      ceiling.ceiling.further = axes_text(cell, {P::kSubject, P::kOrder});
      ceilings_by_id[ceiling.ceiling.id()].push_back(&cell);
    }
    for (const auto& [name, alike] : cells_by_name) tell_apart(alike, kAllParts, axes);
    for (const auto& [id, alike] : ceilings_by_id) tell_apart(alike, std::array{P::kSubject, P::kOrder}, axes);
    for (CellResult& check : result.checks) check.cell.axes = in_order;
  }
}

// Orders places by time: checks come after all others, as in a run.
void number_places(Result& result) {
  struct Moment {
    double seconds;
    std::size_t before;
    std::size_t* place;
  };
  std::size_t next = 0;
  const auto number = [&](std::vector<Moment> moments) {
    std::ranges::stable_sort(moments, [](const Moment& a, const Moment& b) {
      return std::pair(a.seconds, a.before) < std::pair(b.seconds, b.before);
    });
    for (const Moment& moment : moments) *moment.place = next++;
  };
  std::vector<Moment> moments;
  const auto note = [&](auto& trial) { moments.push_back({trial.started_seconds, trial.place, &trial.place}); };
  for (CellResult& cell : result.cells) std::ranges::for_each(cell.trials, note);
  for (CeilingResult& ceiling : result.ceilings) std::ranges::for_each(ceiling.trials, note);
  number(std::exchange(moments, {}));
  for (CellResult& check : result.checks) std::ranges::for_each(check.trials, note);
  number(std::move(moments));
}

// Whether the trials of all parts add up to those that were requested, also where a part was stopped. Not where a run
// is more than its trials: the interval of all of them, or checks of its verdicts.
bool has_all_trials(const Result& merged) {
  if (merged.options.until_ci || merged.options.check_verdict) return false;
  const auto has_its = [&](const auto& measured, std::size_t trials) {
    return measured.error || trials >= merged.options.trials;
  };
  return std::ranges::all_of(merged.cells,
                             [&](const CellResult& cell) { return has_its(cell, count_of(cell.trials)); }) &&
         std::ranges::all_of(merged.ceilings,
                             [&](const CeilingResult& ceiling) { return has_its(ceiling, ceiling.trials.size()); });
}

// The shares of the sweeps that were divided by one number.
struct SweepShares {
  std::set<std::string> given;
  std::optional<std::size_t> configurations;

  // `of` is "/3". Shares are empty, and so not missing, where there are fewer configurations than shares.
  bool all_present(const std::string& of) const {
    for (std::size_t i = 1; given.contains(fmt::format("{}{}", i, of)); ++i) {
      if (fmt::format("/{}", i) == of || i == configurations) return true;
    }
    return false;
  }
};

// Whether "1/3", "2/3", ... are all present for each number of shares. A result that is no share has all cells of its
// own plan, but cannot take the place of a missing share: nothing says which cells that one would have had.
bool all_shares(const std::vector<MergePart>& parts) {
  std::map<std::string, SweepShares> by_number;
  for (const MergePart& part : parts) {
    if (lacks_shares(part.result)) return false;
    const std::string& one = part.result.options.part;
    if (one.empty()) continue;
    SweepShares& shares = by_number[one.substr(std::min(one.find('/'), one.size()))];  // files may say anything
    shares.given.insert(one);
    shares.configurations = std::max(shares.configurations, part.result.divided_configurations);
  }
  return std::ranges::all_of(by_number, [](const auto& entry) { return entry.second.all_present(entry.first); });
}

// Everything in the merged result that was not measured.
void set_frame(const std::vector<MergePart>& parts, Result& result) {
  const Result& first = parts.front().result;
  result.started = first.started;
  result.arguments = first.arguments;
  result.options = first.options;
  result.options.part.clear();
  result.kernels = first.kernels;
  result.environment = first.environment;
  result.loop = first.loop;
  result.status = Status::kComplete;
  if (!all_shares(parts)) {
    result.status = Status::kPartial;
    for (const MergePart& part : parts) {
      // An absent number is less than any.
      result.divided_configurations = std::max(result.divided_configurations, part.result.divided_configurations);
    }
  }
  result.finished = first.finished;
  for (const MergePart& part : parts) {
    add_hosts(machine(part.result), result.environment.machine);
    add_builds(part.result, result);
    if (part.result.status == Status::kPartial) result.status = Status::kPartial;
    // An absent time is less than any.
    result.finished =
        !part.result.finished || !result.finished ? std::nullopt : std::max(result.finished, part.result.finished);
    for (std::string& run : runs_of(part.result)) result.merged_from.push_back(std::move(run));
  }
}

}  // namespace

Result merge_results(std::vector<MergePart> parts, const std::string& run_id, bool allow_mismatch) {
  if (parts.size() < 2) throw usage_error(fmt::format("merge: want at least two results, got {}", parts.size()));
  check_runs(parts);
  std::ranges::stable_sort(parts, {}, start_of);
  for (const MergePart& part : parts) {
    if (part.result.search || part.result.best)
      throw Error(fmt::format("cannot merge {}: it is the result of a search", part.source));
    if (!allow_mismatch) check_alike(parts.front(), part);
  }
  check_data(parts);
  check_named_files(parts);
  Merger merger;
  set_frame(parts, merger.result());
  const auto start = start_of(parts.front());
  const bool all_parts = all_shares(parts);
  for (MergePart& part : parts) {
    const double after = std::chrono::duration<double>(start_of(part) - start).count();
    merger.add(std::move(part.result), after);
  }
  Result result = std::move(merger.result());
  result.run_id = run_id;
  name_apart(result);
  number_places(result);
  if (all_parts && has_all_trials(result)) result.status = Status::kComplete;
  return result;
}

bool lacks_shares(const Result& merged) {
  if (merged.merged_from.empty() || merged.status == Status::kComplete) return false;
  // Without that number, as in files of older versions, only trials that are all there show what else is missing.
  return merged.divided_configurations || has_all_trials(merged);
}

void add_builds(const Result& part, Result& result) {
  std::vector<std::string> names = part.other_builds;
  names.push_back(name_of(part.environment.build));
  for (std::string& name : names) {
    const bool known = name == name_of(result.environment.build) ||
                       std::ranges::find(result.other_builds, name) != result.other_builds.end();
    if (!known) result.other_builds.push_back(std::move(name));
  }
}

}  // namespace loadline
