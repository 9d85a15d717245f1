#include "harness/judge/recorded.h"

#include <fmt/core.h>

#include <algorithm>

#include "harness/judge/phrase.h"
#include "harness/judge/verdict.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kParts = 10;
constexpr std::size_t kFewestParts = 5;  // for an interval

// From this share of all waiting on, what comes before the first batch of a pass is worth a sentence.
constexpr double kMostlyAtStarts = 0.25;
// So is the slowest batch in a hundred: waits this much longer than the median come in bursts.
constexpr double kBurst = 10;

// Parts are cut where a tenth of the time has passed; an entry is never divided.
std::vector<RecordedPart> parts_of(const Recording& job) {
  const RecordedSequence& sequence = job.sequence;
  double whole = 0;
  for (std::size_t i = 0; i < sequence.waits.size(); ++i) {
    whole += seconds(sequence.waits[i]) + seconds(sequence.steps[i]);
  }
  std::vector<RecordedPart> parts;
  if (!(whole > 0)) return parts;
  const std::size_t count = std::min(kParts, sequence.waits.size());
  double passed = 0;
  std::uint64_t left = job.batches;
  for (std::size_t i = 0; i < sequence.waits.size(); ++i) {
    if (parts.size() < count && passed >= whole * static_cast<double>(parts.size()) / static_cast<double>(count)) {
      parts.emplace_back();
    }
    RecordedPart& part = parts.back();
    const std::uint64_t batches = std::min(left, sequence.batches_per_entry);
    left -= batches;
    part.batches += batches;
    part.wait_seconds += seconds(sequence.waits[i]);
    part.step_seconds += seconds(sequence.steps[i]);
    passed += seconds(sequence.waits[i]) + seconds(sequence.steps[i]);
  }
  // An entry that took no time at all has no share.
  std::erase_if(parts, [](const RecordedPart& part) { return !(part.wait_seconds + part.step_seconds > 0); });
  return parts;
}

std::optional<Estimate> stall_of(const std::vector<RecordedPart>& parts) {
  if (parts.empty()) return std::nullopt;
  double waited = 0;
  double all = 0;
  std::vector<double> stalls;
  for (const RecordedPart& part : parts) {
    waited += part.wait_seconds;
    all += part.wait_seconds + part.step_seconds;
    stalls.push_back(part.stall());
  }
  Estimate stall{waited / all, std::nullopt};
  if (parts.size() < kFewestParts) return stall;
  const Summary summary = summarize(stalls);
  const double half = (summary.ci95->high - summary.ci95->low) / 2;
  stall.ci95 = Interval{std::max(0.0, stall.value - half), std::min(1.0, stall.value + half)};
  return stall;
}

RecordedBound bound_of(const std::optional<Estimate>& stall) {
  if (!stall) return RecordedBound::kEmpty;
  if (!stall->ci95) return RecordedBound::kUnclear;
  if (stall->ci95->low > kNoticeable) return RecordedBound::kWaits;
  return stall->ci95->high < kTooWide ? RecordedBound::kBusy : RecordedBound::kUnclear;
}

std::string loader_of(const Recording& job) {
  if (job.workers == 0) return job.loader;
  return fmt::format("{} with {}", job.loader, plural(job.workers, "worker"));
}

std::string share_of(const Estimate& stall) {
  return telling_share(stall) || !stall.ci95 ? percent(stall) : fmt::format("about {}", plain_percent(stall.value));
}

std::string waits_sentence(const Recording& job, const Estimate& stall) {
  const auto& ci95 = stall.ci95;
  const double most = 1 / (1 - std::min(stall.value, 0.999));
  std::string gain = fmt::format("up to {:.2f}", most);
  if (ci95 && ci95->high < 0.99) {
    const Estimate times{most, Interval{1 / (1 - ci95->low), 1 / (1 - ci95->high)}};
    if (telling_factor(times)) gain = factor(times);
  }
  return fmt::format(
      "Waits for data: the loop waited {} of the time for {}; a loader that kept up would give {} times "
      "the throughput: {}.",
      share_of(stall), loader_of(job), gain,
      job.workers == 0                     ? "load ahead of the step, in workers, or use a faster loader"
      : job.workers < job.threads_in_force ? "raise the number of workers or use a faster loader"
                                           : "use a faster loader, or get more CPUs");
}

std::string busy_sentence(const Recording& job, const Estimate& stall) {
  const double most = stall.ci95->high;
  return fmt::format(
      "Hardly waits for data: the loop waited {} of the time for {}, so faster loading gives at most {} more "
      "throughput; make the step faster.",
      share_of(stall), loader_of(job), percent_at_most(1 / (1 - most) - 1));
}

std::string unclear_sentence(const Recording& job, const Estimate& stall) {
  if (!stall.ci95) {
    return fmt::format("Too short to say: the loop waited {} of the time for {}, in only {} batch{}; record more.",
                       percent(stall), loader_of(job), job.batches, job.batches == 1 ? "" : "es");
  }
  return fmt::format(
      "Too unsteady to say: the loop waited {} of the time for {}, which may be negligible or worth removing; see how "
      "it changes over time, and record more.",
      share_of(stall), loader_of(job));
}

// What stands behind the figure.
std::string further_sentences(const Recording& job) {
  std::string text;
  const double waited = job.wait.total_seconds;
  if (waited > 0 && job.epoch_start_seconds > kMostlyAtStarts * waited) {
    text += fmt::format(" {} of the waiting came before the first batch of {}: {}.",
                        plain_percent(std::min(1.0, job.epoch_start_seconds / waited)),
                        job.epochs == 1 ? "the only pass" : fmt::format("{} passes", job.epochs),
                        job.workers > 0 ? "keep the workers from one pass to the next (persistent_workers=True)"
                                        : "keep what the iterator makes from one pass to the next");
  }
  const double longest = std::max(job.wait.p50_seconds, 1e-6);
  if (job.wait.p99_seconds > kBurst * longest && job.wait.p99_seconds > job.step.p50_seconds) {
    text += fmt::format(" It waits in bursts: half of the batches came within {}, one in a hundred took {} or more.",
                        duration(job.wait.p50_seconds), duration(job.wait.p99_seconds));
  }
  if (job.asynchronous) {
    text +=
        " Steps may continue on the accelerator while the loop waits, so the accelerator stalls for at most this "
        "share.";
  }
  return text;
}

}  // namespace

std::string_view name(RecordedBound bound) {
  switch (bound) {
    case RecordedBound::kWaits: return "waits";
    case RecordedBound::kBusy: return "busy";
    case RecordedBound::kUnclear: return "unclear";
    case RecordedBound::kEmpty: return "empty";
  }
  throw Error("recording: unknown bound");
}

RecordedJudgement judge_recording(const Recording& job) {
  RecordedJudgement judgement;
  judgement.parts = parts_of(job);
  judgement.stall = stall_of(judgement.parts);
  judgement.bound = bound_of(judgement.stall);
  switch (judgement.bound) {
    case RecordedBound::kWaits: judgement.sentence = waits_sentence(job, *judgement.stall); break;
    case RecordedBound::kBusy: judgement.sentence = busy_sentence(job, *judgement.stall); break;
    case RecordedBound::kUnclear: judgement.sentence = unclear_sentence(job, *judgement.stall); break;
    case RecordedBound::kEmpty: judgement.sentence = "Nothing to judge: no batch was recorded."; return judgement;
  }
  judgement.sentence += further_sentences(job);
  return judgement;
}

}  // namespace loadline
