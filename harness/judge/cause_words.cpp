#include "harness/judge/cause_words.h"

#include <fmt/core.h>

#include <cmath>

#include "harness/judge/loader_time.h"
#include "harness/result/memory_words.h"
#include "loaders/error.h"
#include "loaders/loader.h"

namespace loadline {
namespace {

std::string per_second_text(double bytes) {
  return size_words(static_cast<std::uint64_t>(bytes)) + "/s";
}

// "58 % of the time (55 to 61 % from trial to trial)"
std::string share_text(const TimeShare& share, std::string_view of = "of the time") {
  const auto points = [](double part) { return std::lround(100 * part); };
  if (points(share.least) == points(share.most)) return fmt::format("{} % {}", points(share.mean), of);
  return fmt::format("{} % {} ({} to {} % from trial to trial)", points(share.mean), of, points(share.least),
                     points(share.most));
}

// What a share of the time that threads lost is of: a machine that is busy for half of its time may hardly delay them.
std::string_view of_threads(const Causes& causes) {
  return causes.threads > 1 ? "of their time" : "of its time";
}

// Beside a rate in samples, the share of the device's rate would look wrong without this.
std::string read_over_stored_text(const Causes& causes) {
  constexpr double kFarMore = 1.5;
  const double times = causes.read_over_stored;
  if (times < kFarMore) return "";
  return fmt::format(" to read {:.{}f} times the bytes that their samples have", times, times < 9.95 ? 1 : 0);
}

std::string sentence_of(Cause cause, const Causes& causes, std::string_view more_reads, std::size_t workers,
                        std::string_view in) {
  const std::string_view threads = workers == 0 ? "its thread" : workers == 1 ? "its worker" : "its workers";
  const std::string_view were = workers > 1 ? "were" : "was";
  const std::string_view all_threads = causes.threads > 1 ? "its threads" : "its thread";
  switch (cause) {
    case Cause::kLatency:
      return fmt::format(
          " Loading is bound by storage latency{}: {} {} on a CPU for {} and blocked for most of the rest; {}.",
          causes.device ? "" : ", or by the device's rate, which was not measured", threads, were,
          share_text(causes.cpu), more_reads);
    case Cause::kStorage:
      return fmt::format(
          " Loading is bound by storage: the trials used {} of the device's rate for {}{}{}; use faster storage or "
          "{}.",
          causes.device->used < 0.995 ? fmt::format("{} %", std::lround(100 * causes.device->used)) : "all",
          causes.device->of_few_reads ? "so many such reads in flight" : "such reads", read_over_stored_text(causes),
          causes.device->of_few_reads ? "" : ", so more reads in flight can hardly help",
          words_of(causes.storage_remedy));
    case Cause::kContention:
      if (causes.of_one_rank()) {
        return fmt::format(
            " Other processes kept the threads of rank {} off the CPUs for at least {}{}, and those of other ranks for "
            "{} %: measure again without them, or on another node.",
            causes.contended_rank->rank, share_text(causes.contended_rank->share, "of their time"), in,
            std::lround(100 * causes.contended_rank->others));
      }
      return fmt::format(
          " Other processes kept {} off the CPUs for at least {}{}: measure again without them, or on dedicated CPUs.",
          all_threads, share_text(*causes.contention, of_threads(causes)), in);
    case Cause::kThrottling:
      return fmt::format(
          " The CPU quota of the control group held {} back for {}{}: raise the quota, or use no more "
          "threads than it allows.",
          all_threads, share_text(*causes.throttling), in);
    case Cause::kSteal:
      return fmt::format(
          " The hypervisor took {} from {}{}: measure again on a quieter host, or on one that does not share its CPUs.",
          share_text(*causes.steal), all_threads, in);
    case Cause::kReaders:
      return fmt::format(
          " Meanwhile other processes read {} from the device that holds the data{}: measure again without them, or "
          "with the data on a separate device.",
          per_second_text(*causes.others_read_bytes_per_second), in);
    case Cause::kReclaim:
      return fmt::format(
          " Memory was short: the page cache had to drop {} of files that were then read again{}: free memory, or use "
          "less data.",
          per_second_text(*causes.read_again_bytes_per_second), in);
  }
  throw Error("causes: unknown cause");
}

}  // namespace

std::string outside_causes_text(const Causes& causes, std::string_view in) {
  const std::string_view threads = causes.threads > 1 ? "its threads" : "its thread";
  const auto points = [](const TimeShare& share) { return std::lround(100 * share.mean); };
  std::string text;
  for (const Cause cause : causes.named) {
    if (cause == Cause::kContention && causes.of_one_rank()) {
      text +=
          fmt::format(" Other processes kept the threads of rank {} off the CPUs for at least {} % of their time{}.",
                      causes.contended_rank->rank, points(causes.contended_rank->share), in);
    } else if (cause == Cause::kContention) {
      text += fmt::format(" Other processes kept {} off the CPUs for at least {} % {}{}.", threads,
                          points(*causes.contention), of_threads(causes), in);
    } else if (cause == Cause::kThrottling) {
      text += fmt::format(" A CPU quota held {} back for {} % of the time{}.", threads, points(*causes.throttling), in);
    } else if (cause == Cause::kSteal) {
      text += fmt::format(" The hypervisor took {} % of the time from {}{}.", points(*causes.steal), threads, in);
    }
  }
  return text;
}

MoreReads more_reads_of(const CellResult& cell, Access access, const Alternatives& tried) {
  const auto keep = [](std::string_view with) { return fmt::format("keep more reads in flight with {}", with); };
  if (cell.cell.workers == 0) {
    if (gained_nothing(tried.with_workers)) return {.how = "", .tried = gain_text(*tried.with_workers)};
    return {.how = "use a --loader that reads ahead", .tried = ""};
  }
  if (waits_for_slots(cell)) {
    if (gained_nothing(tried.more_prefetch)) return {.how = "", .tried = gain_text(*tried.more_prefetch)};
    return {.how = fmt::format("deepen --prefetch, as {}", slot_wait_words(cell)), .tried = ""};
  }
  const Cell& its = cell.cell;
  const bool workers_tried = gained_nothing(tried.more_workers);
  if (access != Access::kFiles) {
    return workers_tried ? MoreReads{.how = "", .tried = gain_text(*tried.more_workers)}
                         : MoreReads{.how = keep("more --workers"), .tried = ""};
  }
  const bool ahead = its.dataset.read == FileRead::kUring && its.loader && shares_requests(*its.loader);
  if (ahead) return {.how = keep("more --reads-in-flight"), .tried = ""};
  return {.how = workers_tried ? fmt::format("{}, as {}", keep("--loader flow-graph --read uring"),
                                             gain_text(*tried.more_workers))
                               : keep("more --workers or --loader flow-graph --read uring"),
          .tried = ""};
}

std::string more_reads_text(const MoreReads& more, StorageRemedy otherwise) {
  return more.how.empty() ? fmt::format("{}, so use faster storage or {}", more.tried, words_of(otherwise)) : more.how;
}

std::string causes_text(const Causes& causes, std::string_view more_reads, std::size_t workers, std::string_view in) {
  std::string text;
  for (const Cause cause : causes.named) text += sentence_of(cause, causes, more_reads, workers, in);
  return text;
}

}  // namespace loadline
