#include "harness/judge/verdict_advice.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "harness/judge/load_line.h"
#include "harness/judge/loader_time.h"
#include "harness/judge/phrase.h"
#include "harness/plan/command.h"
#include "loaders/error.h"

namespace loadline {

namespace {

// "each of the 4 CPUs in force has a worker already".
std::string all_taken(std::size_t cpus) {
  return cpus == 1 ? "the one CPU in force has a worker already"
                   : fmt::format("each of the {} CPUs in force has a worker already", cpus);
}

// A sample takes as long to read or to decode however little other work is done on it. The sizes and formats of the
// photographs are not known.
std::string cheaper_samples(const Evidence& evidence) {
  switch (evidence.work) {
    case LoaderWork::kOther: return "give each sample less work";
    case LoaderWork::kReading:
      return fmt::format("make reading cheaper (faster storage or {})", words_of(evidence.storage_remedy));
    case LoaderWork::kDecoding:
      return "make decoding cheaper (smaller photographs, or stored pixels if all have one size)";
    case LoaderWork::kDecodingFully:
      return "make decoding cheaper (smaller photographs, --scaled-dct if they are JPEGs of twice the output's size, "
             "or stored pixels if all have one size)";
  }
  throw Error("verdict: unknown work of a loader");
}

// Every --loader decodes by the same code.
bool decodes(const Evidence& evidence) {
  return evidence.work == LoaderWork::kDecoding || evidence.work == LoaderWork::kDecodingFully;
}

std::string_view faster_loader_or(const Evidence& evidence) {
  return decodes(evidence) ? "" : "use a faster --loader or ";
}

// One worker alone does what the consumer's thread would: that it is no faster says nothing about more of them.
bool only_one_tried(const Evidence& evidence) {
  const auto& tried = evidence.tried.with_workers;
  const bool may_gain = evidence.threads_in_force != 1 || evidence.work == LoaderWork::kReading;
  return tried && tried->most_workers == 1 && may_gain;
}

std::string more_than_one(const Evidence& evidence) {
  return fmt::format("use 2 or more workers, as only one was tried ({})", gain_text(*evidence.tried.with_workers));
}

// The command line does not reach into a function in Python.
std::string deeper_prefetch(const Evidence& evidence) {
  return names_python(evidence.loader) ? "raise prefetch_factor" : "deepen --prefetch";
}

bool near_ceiling(const Evidence& evidence) {
  const auto& reached = evidence.ceiling_efficiency;
  return reached && reached->ci95 && reached->ci95->low >= kNearCeiling;
}

std::string faster_storage(const Evidence& evidence) {
  const std::string_view limit = !near_ceiling(evidence) || !evidence.device_binds ? ""
                                 : evidence.few_reads ? ": no --loader can read much faster with so few reads in flight"
                                                      : ": no --loader can read much faster from this one";
  return fmt::format("use faster storage or {}, as loading is bound by storage{}", words_of(evidence.storage_remedy),
                     limit);
}

// More workers would wait for slots too.
std::string more_slots(const Evidence& evidence) {
  if (gained_nothing(evidence.tried.more_prefetch)) {
    return fmt::format("{}{}, as {}", near_ceiling(evidence) ? "" : faster_loader_or(evidence),
                       cheaper_samples(evidence), gain_text(*evidence.tried.more_prefetch));
  }
  return fmt::format("{}, as the {} for free slots", deeper_prefetch(evidence),
                     evidence.workers == 1 ? "worker waits" : "workers wait");
}

}  // namespace

bool storage_binds(const Evidence& evidence) {
  return evidence.waits_for_device || (evidence.device_binds && near_ceiling(evidence));
}

std::string faster_loading(const Evidence& evidence) {
  // A replayed loader is as fast as it was.
  if (evidence.loader.starts_with("replay:")) return "fix the recorded loader, or choose another --loader";
  if (storage_binds(evidence)) return faster_storage(evidence);
  const Alternatives& tried = evidence.tried;
  if (evidence.workers == 0 && !gained_nothing(tried.with_workers)) {
    return evidence.takes_workers ? "raise --workers" : "use a --loader with workers";
  }
  const bool is_near = near_ceiling(evidence);
  if (evidence.workers == 0) {
    if (only_one_tried(evidence)) return more_than_one(evidence);
    return fmt::format("{}, as {}", cheaper_samples(evidence), gain_text(*tried.with_workers));
  }
  const bool more_tried = gained_nothing(tried.more_workers);
  const bool cpus_taken = evidence.threads_in_force > 0 && evidence.workers >= evidence.threads_in_force;
  if (cpus_taken && gained_clearly(tried.more_workers)) {
    const Ratio& gain = tried.more_workers->gain;
    return fmt::format("raise --workers: {} {} times as fast in this run", tried.more_workers->name,
                       factor({gain.value, gain.ci95}));
  }
  if (evidence.waits_for_slots && !gained_clearly(tried.more_workers)) return more_slots(evidence);
  if (!cpus_taken || gained_beyond_cpus(tried, evidence.threads_in_force)) {
    if (is_near) {
      const std::string_view limit = "no --loader can be much faster with so few";
      return more_tried ? fmt::format("{}, as {} workers, and {}", cheaper_samples(evidence), limit,
                                      gain_text(*tried.more_workers))
                        : fmt::format("raise --workers: {}", limit);
    }
    return more_tried ? fmt::format("{}{}, as {}", faster_loader_or(evidence), cheaper_samples(evidence),
                                    gain_text(*tried.more_workers))
                      : fmt::format("raise --workers or {}",
                                    decodes(evidence) ? cheaper_samples(evidence) : "use a faster --loader");
  }
  return fmt::format("{}{} {} or get more CPUs ({})", all_taken(evidence.threads_in_force),
                     is_near             ? " and no --loader can be much faster on these CPUs, so"
                     : decodes(evidence) ? ", so"
                                         : ", so use a faster --loader,",
                     cheaper_samples(evidence),
                     more_tried ? gain_text(*tried.more_workers) : "more --workers only if they wait for storage");
}

std::string more_overlap(const Evidence& evidence) {
  const Alternatives& tried = evidence.tried;
  // Without workers there is nothing to prefetch, and the thread that loads is the one that computes.
  if (evidence.workers == 0) {
    if (gained_nothing(tried.with_workers)) {
      if (only_one_tried(evidence)) return more_than_one(evidence);
      return fmt::format("{}, as {}", cheaper_samples(evidence), gain_text(*tried.with_workers));
    }
    return evidence.takes_workers ? "raise --workers" : "use a --loader that reads ahead";
  }
  const bool deeper_tried = gained_nothing(tried.more_prefetch);
  if (!evidence.lacks_core) {
    return deeper_tried ? fmt::format("a deeper --prefetch is no remedy, as {}", gain_text(*tried.more_prefetch))
                        : deeper_prefetch(evidence);
  }
  return deeper_tried ? "give the compute its own core"
                      : fmt::format("{} or give the compute its own core", deeper_prefetch(evidence));
}

std::string fewer_turns(const Evidence& evidence) {
  if (evidence.workers == 0) return more_overlap(evidence);
  return gained_nothing(evidence.tried.more_prefetch)
             ? "use a --loader that reads ahead"
             : fmt::format("use a --loader that reads ahead or {}", deeper_prefetch(evidence));
}

std::string less_disturbance(const Evidence& evidence) {
  const Alternatives& tried = evidence.tried;
  const bool fewer_tried = gained_nothing(tried.fewer_workers);
  if (evidence.workers > 1 && !fewer_tried) return "use fewer --workers";
  if (evidence.workers > 0 && evidence.lacks_core) return "give the compute its own core";
  return evidence.workers > 1 ? fmt::format("fewer --workers are no remedy, as {}", gain_text(*tried.fewer_workers))
                              : more_overlap(evidence);
}

LoaderWork work_of(const CellResult& cell, const DatasetInfo& info) {
  constexpr double kMost = 0.5;
  const auto time = loader_time_of(cell);
  if (!time) return LoaderWork::kOther;
  double reading = 0;
  double decoding = 0;
  for (const StageShare& one : time->stages) {
    if (one.stage == WorkerStage::kOpen || one.stage == WorkerStage::kRead) reading += one.share.value;
    if (one.stage == WorkerStage::kDecode) decoding += one.share.value;
  }
  if (reading > kMost) return LoaderWork::kReading;
  // Decoding mapped files reads them too.
  const bool reads_too = info.access != Access::kFiles && starts(cell.cell, CacheState::kCold);
  if (decoding <= kMost || reads_too) return LoaderWork::kOther;
  const PhotoOptions& photo = cell.cell.photo;
  return photo.decoder == PhotoDecoder::kJpeg && !photo.allow_scaled_dct ? LoaderWork::kDecodingFully
                                                                         : LoaderWork::kDecoding;
}

bool crowded(const Evidence& evidence) {
  // A step from outside has a thread at least, and that takes the only CPU.
  if (evidence.threads_in_force == 1) return evidence.lacks_core || evidence.compute_threads > 0;
  return evidence.workers > 0 && evidence.compute_threads > 0 && evidence.threads_in_force > 0 &&
         evidence.workers + evidence.compute_threads > evidence.threads_in_force;
}

std::string crowd_advice(const Evidence& evidence) {
  const std::string cpus = plural(evidence.threads_in_force, "CPU");
  if (evidence.workers == 0) {
    return fmt::format("loading and computing share {}: get more CPUs and {}{}", cpus,
                       evidence.takes_workers ? "raise --workers" : "use a --loader that reads ahead",
                       gained_nothing(evidence.tried.with_workers)
                           ? ""
                           : "; on this one alone that helps only if loading waits for storage");
  }
  std::string remedy = evidence.threads_in_force > 1 ? "use --placement split" : "get more CPUs";
  if (evidence.compute_threads > 1) remedy += " or fewer --compute-threads";
  return fmt::format("{} and {} share {}: {}", plural(evidence.workers, "worker"),
                     plural(std::max<std::size_t>(1, evidence.compute_threads), "compute thread"), cpus, remedy);
}

std::string more_trials(std::initializer_list<std::span<const double>> sets) {
  static constexpr double kMost = 100;  // beyond, the advice would be worse than none
  double widest = 0;
  std::size_t most = 0;
  for (const auto& rates : sets) {
    if (rates.empty()) continue;
    const Summary summary = summarize(rates);
    widest = std::max(widest, summary.stddev.value_or(0) / summary.mean);
    most = std::max(most, summary.count);
  }
  if (most < kTellingTrials) return fmt::format("use --trials {} or more", kTellingTrials);
  const double trials = std::ceil(std::max(trials_to_detect(widest, kNoticeable), static_cast<double>(most + 1)));
  if (trials > kMost) {
    return fmt::format("that would take more than {:.0f} trials, so first find what disturbs this machine", kMost);
  }
  return fmt::format("use a quieter machine or --trials {:.0f}", trials);
}

std::string more_trials(const Evidence& evidence, std::initializer_list<std::span<const double>> sets) {
  const std::array endings{evidence.io_ending, evidence.synthetic_ending, evidence.full_ending};
  if (std::ranges::find(endings, Ending::kStopped) == endings.end()) return more_trials(sets);
  if (evidence.resumable) return "continue the stopped run with --resume";
  return evidence.own_loop ? "run more epochs" : "let the run come to its end";
}

std::string more_trials_of_all(const Evidence& evidence) {
  return more_trials(evidence,
                     {evidence.fill.empty() ? evidence.io : evidence.fill, evidence.synthetic, evidence.full});
}

}  // namespace loadline
