#include "harness/measure/joint_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <limits>
#include <utility>
#include <vector>

#include "harness/machine/kernel_text.h"
#include "harness/result/rank_trials.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// How a rank's trial ended, before its text.
constexpr char kTrialMark = 'm';
constexpr char kEnded = 's';
constexpr char kFailed = 'f';

std::string any_of_parts(const std::vector<std::string>& parts) {
  return std::ranges::find(parts, "1") == parts.end() ? "0" : "1";
}

std::int64_t number_of(const std::string& text) {
  const bool negative = text.starts_with('-');
  const auto number = static_cast<std::int64_t>(parse_whole(text.substr(negative ? 1 : 0)).value_or(0));
  return negative ? -number : number;
}

}  // namespace

JointTrials::Word JointTrials::agree(const Word& mine) {
  const std::string word = ranks_.outer(
      fmt::format("{}{}", mine.stop ? 1 : 0, mine.time_is_up ? 1 : 0), [](const std::vector<std::string>& parts) {
        const bool stop = std::ranges::any_of(parts, [](const std::string& part) { return part[0] == '1'; });
        return fmt::format("{}{}", stop ? 1 : 0, parts.front()[1]);
      });
  return {.stop = word[0] == '1', .time_is_up = word[1] == '1'};
}

template <typename AnyTrial>
std::optional<AnyTrial> JointTrials::measured(const std::function<std::optional<AnyTrial>()>& own) {
  std::string mine;
  std::optional<AnyTrial> trial;
  try {
    trial = own();
    if constexpr (std::same_as<AnyTrial, Trial>) {
      if (trial) note_share(*trial, ranks_.rank(), seconds(started_ + offset_));
    }
    mine = trial ? kTrialMark + text_of_trial(*trial) : std::string(1, kEnded);
  } catch (const Error& error) {
    mine = fmt::format("{}{}", kFailed, error.what());
  }
  std::optional<AnyTrial> all;
  const std::string outcome = ranks_.outer(std::move(mine), [&](const std::vector<std::string>& parts) {
    std::vector<AnyTrial> trials;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      const std::string& part = parts[rank];
      if (part[0] == kFailed && rank > 0) return fmt::format("{}{}: {}", kFailed, ranks_.name_of(rank), part.substr(1));
      if (part[0] == kFailed) return part;
    }
    for (const std::string& part : parts) {
      if (part[0] == kEnded) return part;
      if (trials.empty()) {
        trials.push_back(*trial);  // everything rank 0 knows about its own
      } else {
        read_trial(part.substr(1), trials.emplace_back());
      }
    }
    all = together(std::move(trials));
    return kTrialMark + text_of_trial(*all);
  });
  if (outcome[0] == kFailed) throw Error(outcome.substr(1));
  if (outcome[0] == kEnded) return std::nullopt;
  if (!all) read_trial(outcome.substr(1), all.emplace());
  return all;
}

std::optional<Trial> JointTrials::trial(const std::function<std::optional<Trial>()>& own, const EpochTallies& tallies,
                                        std::uint64_t dataset_samples) {
  auto all = measured<Trial>(own);
  if (all && all->ranks) all->ranks->coverage = covered(tallies, dataset_samples);
  return all;
}

std::optional<RankCoverage> JointTrials::covered(const EpochTallies& mine, std::uint64_t dataset_samples) {
  std::optional<RankCoverage> coverage;
  ranks_.outer(text_of(mine), [&](const std::vector<std::string>& parts) {
    std::vector<EpochTallies> tallies;
    for (const std::string& part : parts) tallies.push_back(tallies_of(part));
    if (std::ranges::any_of(tallies, [](const EpochTallies& each) { return !each.empty(); })) {
      coverage = coverage_of(tallies, dataset_samples);
    }
    return "";
  });
  return coverage;
}

std::optional<FirstEpoch> JointTrials::first_epoch(const std::function<std::optional<FirstEpoch>()>& own) {
  return measured<FirstEpoch>(own);
}

std::optional<CeilingTrial> JointTrials::ceiling(const std::function<std::optional<CeilingTrial>()>& own) {
  return measured<CeilingTrial>(own);
}

bool JointTrials::start() {
  const bool together = ranks_.inner("", [](const std::vector<std::string>& /*parts*/) { return ""; }).has_value();
  started_ = clock_.now();
  return together;
}

std::optional<bool> JointTrials::any(bool mine) {
  const auto word = ranks_.inner(mine ? "1" : "0", any_of_parts);
  return word ? std::optional(*word == "1") : std::nullopt;
}

std::optional<Time> JointTrials::longest(Time mine) {
  const auto word = ranks_.inner(fmt::format("{}", mine.count()), [](const std::vector<std::string>& parts) {
    std::int64_t most = 0;
    for (const std::string& part : parts) most = std::max(most, number_of(part));
    return fmt::format("{}", most);
  });
  return word ? std::optional(Time(number_of(*word))) : std::nullopt;
}

// Rank 0 answers a question with its time. The error is at most half of the round trip. Takes the quickest of
// several.
ClockOffset measure_offset(Ranks& ranks, const Clock& clock, const std::string& host_key) {
  constexpr int kQuestions = 16;
  const bool same_clock = ranks.broadcast(host_key) == host_key;
  ClockOffset best{.offset = {}, .error = Time(std::numeric_limits<Time::rep>::max())};
  for (int i = 0; i < kQuestions; ++i) {
    // So that this measures one message each way, and not a late rank.
    ranks.outer(
        "", [](const std::vector<std::string>& /*parts*/) { return ""; }, true);
    const Time asked = clock.now();
    const auto answer = ranks.outer(
        "", [&](const std::vector<std::string>& /*parts*/) { return fmt::format("{}", clock.now().count()); });
    const Time answered = clock.now();
    const Time error = (answered - asked) / 2;
    if (error < best.error) best = {.offset = Time(number_of(answer)) - (asked + answered) / 2, .error = error};
  }
  return same_clock ? ClockOffset() : best;
}

}  // namespace loadline
