#include "harness/judge/loader_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "harness/judge/busy_pairs.h"
#include "harness/judge/judgement.h"
#include "harness/judge/phrase.h"
#include "harness/result/counted.h"
#include "loaders/error.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

std::vector<WorkerStage> kinds_of(const LoaderStages& of_loader) {
  std::vector<WorkerStage> stages;
  for (const LoaderStage& one : of_loader.stages) stages.push_back(one.stage);
  return stages;
}

double all_workers_seconds(const LoaderStage& one) {
  return std::accumulate(one.seconds.begin(), one.seconds.end(), 0.0);
}

// One a trial.
Estimate mean_share(const std::vector<double>& shares) {
  const Summary summary = summarize(shares);
  return {summary.mean, summary.ci95};
}

// What a thread does in a stage, as in "spends 78 ± 1 % of its time decoding".
std::string doing(WorkerStage stage, const LoaderSetting& setting) {
  const std::string_view reads = setting.maps_files ? " (which reads the mapped data too)" : "";
  switch (stage) {
    case WorkerStage::kIdle: return "idle";
    case WorkerStage::kOrder: return "finding the next samples";
    case WorkerStage::kSlotWait: return "waiting for free slots";
    case WorkerStage::kWindowWait: return "waiting for late reads with every slot in use";
    case WorkerStage::kOpen: return "opening files";
    case WorkerStage::kRead: return "reading";
    case WorkerStage::kLibraryLock: return "waiting for the HDF5 library";
    case WorkerStage::kInflate: return "undoing compression";
    case WorkerStage::kDecode: return fmt::format("decoding{}", reads);
    case WorkerStage::kTokenise: return fmt::format("tokenising{}", reads);
    case WorkerStage::kTransform: return fmt::format("transforming{}", reads);
    case WorkerStage::kHandOver: return "handing batches over";
    case WorkerStage::kNextCall: return "in next()";
  }
  throw Error("loader time: unknown stage");
}

bool can_be_told(const StageShare& stage) {
  return stage.share.value >= kNamedStage && (!stage.share.ci95 || telling_share(stage.share));
}

// The stages worth mentioning, the largest first.
std::vector<StageShare> named_of(const LoaderTime& time) {
  std::vector<StageShare> named;
  for (const StageShare& stage : time.stages) {
    if (stage.stage != WorkerStage::kIdle && can_be_told(stage)) named.push_back(stage);
  }
  std::ranges::stable_sort(named, std::greater<>(), [](const StageShare& one) { return one.share.value; });
  return named;
}

// "the 2 workers spend", and whose time that is.
std::pair<std::string, std::string_view> threads_of(const LoaderTime& time) {
  if (time.workers == 0) return {"the thread spends", "its"};
  if (time.workers == 1) return {"the worker spends", "its"};
  return {fmt::format("the {} workers spend", time.workers), "their"};
}

std::string spent_sentence(const LoaderTime& time, const LoaderSetting& setting, const std::vector<StageShare>& named) {
  const auto [spend, whose] = threads_of(time);
  std::vector<std::string> parts{
      fmt::format("{} of {} time {}", percent(named[0].share), whose, doing(named[0].stage, setting))};
  LoaderSetting said = setting;
  said.maps_files = setting.maps_files && named[0].stage != WorkerStage::kDecode;
  for (std::size_t i = 1; i < named.size(); ++i) {
    parts.push_back(fmt::format("{} {}", percent(named[i].share), doing(named[i].stage, said)));
  }
  std::string text = fmt::format(" In {} {} {}", name(setting.mode), spend, listed(parts));
  if (!setting.shares_cpus() && !setting.disturbed) return text;
  if (!text.ends_with(')')) return text + " (waiting for a CPU included)";
  text.pop_back();
  return text + "; waiting for a CPU included)";
}

std::string lock_sentence(const LoaderTime& time, const LoaderSetting& setting, const StageShare& lock) {
  return fmt::format(
      " One lock: in {} {} of the time of {} workers goes into waiting for the HDF5 library, which serves one thread "
      "at a time.",
      name(setting.mode), percent(lock.share), time.workers);
}

// What keeps the slots that workers wait for; empty where that is not known.
std::string_view who_keeps_slots(Bound bound, const LoaderSetting& setting) {
  if (bound == Bound::kCompute) return ": the compute is the limit";
  // Workers also wait for slots behind a slow batch, but then the consumer waits too.
  if (setting.mode == Mode::kIo && setting.consumer_waits <= kNoticeable) {
    return ": the consumer, which reads what they deliver, is the limit";
  }
  return "";
}

// What holds every slot while workers wait for a read; empty where they do not.
std::string_view what_fills_the_window(const std::vector<StageShare>& named, const LoaderSetting& setting) {
  if (std::ranges::find(named, WorkerStage::kWindowWait, &StageShare::stage) == named.end()) return "";
  if (setting.storage_binds) return "";
  return setting.in_order ? " Batches go out in order, so a late read holds back those behind it until they fill all "
                            "slots: deepen --prefetch, or let batches overtake with --delivery completion."
                          : " Batches that wait for late reads fill all slots: deepen --prefetch.";
}

}  // namespace

std::optional<LoaderTime> loader_time_of(const CellResult& cell) {
  std::optional<LoaderTime> time;
  std::vector<WorkerStage> stages;
  std::vector<std::vector<double>> shares;
  std::vector<double> seconds;
  double samples = 0;
  for (const Trial& trial : counted(cell.trials)) {
    if (!trial.loader_stages) return std::nullopt;
    const LoaderStages& of_loader = *trial.loader_stages;
    if (!time) {
      stages = kinds_of(of_loader);
      shares.resize(stages.size());
      seconds.resize(stages.size());
      time = LoaderTime{
          .workers = of_loader.foreign() ? 0 : cell.cell.workers, .foreign = of_loader.foreign(), .stages = {}};
    }
    if (stages != kinds_of(of_loader)) return std::nullopt;
    // A later version may know stages that this one does not: they are still part of the time.
    double all = 0;
    for (const LoaderStage& one : of_loader.stages) all += all_workers_seconds(one);
    all = std::max(all, trial.wall_seconds * static_cast<double>(of_loader.workers()));
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const double sum = all_workers_seconds(of_loader.stages[i]);
      shares[i].push_back(sum / all);
      seconds[i] += sum;
    }
    samples += static_cast<double>(trial.samples);
  }
  if (!time) return std::nullopt;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    time->stages.push_back({stages[i], mean_share(shares[i]), seconds[i] / samples});
  }
  return time;
}

std::optional<Estimate> consumer_wait_of(const CellResult& cell) {
  std::vector<double> shares;
  for (const Trial& trial : counted(cell.trials)) {
    shares.push_back(std::clamp(trial.wait.total_seconds / trial.wall_seconds, 0.0, 1.0));
  }
  return shares.empty() ? std::nullopt : std::optional(mean_share(shares));
}

double slot_wait_share(const CellResult& cell) {
  const auto time = loader_time_of(cell);
  if (!time || time->workers == 0) return 0;
  double share = 0;
  for (const StageShare& one : time->stages) {
    if (one.stage == WorkerStage::kSlotWait || one.stage == WorkerStage::kWindowWait) share += one.share.value;
  }
  return share;
}

bool waits_for_slots(const CellResult& cell) {
  return slot_wait_share(cell) >= kNamedStage;
}

std::string slot_wait_words(const CellResult& cell) {
  return cell.cell.workers == 1 ? "the worker waits for free slots" : "the workers wait for free slots";
}

LoaderSetting loader_setting_of(const Result& result, const CellResult& cell) {
  const Access access = result.datasets[cell.dataset].info.access;
  const auto& own_cpus = cell.cell.placement.worker_cpus;
  LoaderSetting setting{.mode = cell.cell.mode,
                        .maps_files = access == Access::kMapped ||
                                      (access == Access::kFiles && cell.cell.dataset.read == FileRead::kMmap),
                        .threads = cell.cell.workers,
                        .cpus = own_cpus.size(),
                        .in_order = cell.cell.in_order,
                        .disturbed = other_load(cell, run_cpus(result)).taken >= kBusyPairShare};
  if (own_cpus.empty()) {
    setting.threads += consumer_threads(cell.cell);
    setting.cpus = result.environment.machine.threads_in_force;
  }
  if (const auto wait = consumer_wait_of(cell)) setting.consumer_waits = wait->value;
  return setting;
}

std::string loader_time_sentence(const LoaderTime& time, Bound bound, const LoaderSetting& setting) {
  if (time.foreign) return "";  // only its waiting is known, and has been said
  std::vector<StageShare> named = named_of(time);
  if (bound == Bound::kHarness) return "";
  if (bound == Bound::kCompute) {
    std::erase_if(named, [](const StageShare& one) { return one.stage != WorkerStage::kSlotWait; });
  }
  if (named.empty()) return "";
  if (named[0].stage == WorkerStage::kLibraryLock && time.workers > 1) return lock_sentence(time, setting, named[0]);
  const bool wait_for_slots = named[0].stage == WorkerStage::kSlotWait;
  return fmt::format("{}{}.{}", spent_sentence(time, setting, named),
                     wait_for_slots ? who_keeps_slots(bound, setting) : "", what_fills_the_window(named, setting));
}

}  // namespace loadline
