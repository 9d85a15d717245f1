#include "harness/judge/recommendation.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "harness/judge/cold.h"
#include "harness/judge/cost.h"
#include "harness/judge/judgement.h"
#include "harness/judge/non_inferiority.h"
#include "harness/judge/verdict_class.h"
#include "harness/result/counted.h"
#include "loaders/loader.h"

namespace loadline {
namespace {

// The figures by which a configuration is compared.
struct Contender {
  std::size_t configuration;  // index
  std::size_t cell;           // index
};

class Recommender {
 public:
  Recommender(const Result& result, const Judgement& judgement, std::vector<Contender> candidates)
      : result_(result), judgement_(judgement), candidates_(std::move(candidates)) {
    for (const Contender& candidate : candidates_) {
      rates_.push_back(loadline::rates_of(result_.cells[candidate.cell]));
      const Cell& cell = result_.cells[candidate.cell].cell;
      const LoaderKind* known = known_loader(*cell.loader);
      if (known == nullptr || !known->access) given_data_.insert(cell.data);
    }
  }

  Headline headline() const {
    Headline headline{
        .workload = configuration(0).workload, .task = configuration(0).task, .candidates = candidates_.size()};
    const std::size_t fastest = fastest_of(candidates_);
    headline.fastest = candidates_[fastest].configuration;
    std::vector<std::size_t> sufficient;
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      const bool is = is_at_compute(i) ? is_sufficient(rates_of(contest_of(i)), 0, kNoticeable)
                                       : is_sufficient(rates_, i, kNoticeable);
      if (is) sufficient.push_back(i);
    }
    sort_by_simplicity(sufficient);
    if (sufficient.empty()) {
      const auto contest = rates_of(contest_of(fastest));
      const auto rivals = rivals_of(contest, 0, kNoticeable);
      headline.rivals = rivals.size();
      headline.trials_to_tell = trials_to_show(contest, 0, rivals, kNoticeable);
    } else {
      headline.recommended = candidates_[sufficient.front()].configuration;
      for (const std::size_t i : std::span(sufficient).subspan(1)) {
        headline.equal.push_back(candidates_[i].configuration);
      }
    }
    headline.configuration = headline.recommended.value_or(headline.fastest);
    headline.workers = workers_of(headline);
    headline.alternatives = alternatives_to(headline, sufficient);
    headline.fewest_joules = fewest_joules(headline);
    return headline;
  }

 private:
  const Configuration& configuration(std::size_t candidate) const {
    return judgement_.configurations[candidates_[candidate].configuration];
  }

  // Whether FULL is surely so close to the compute's own rate that nothing with the same compute is noticeably faster.
  bool is_at_compute(std::size_t candidate) const {
    const Verdict& verdict = configuration(candidate).verdict;
    return verdict.bound == Bound::kCompute && configuration(candidate).full == candidates_[candidate].cell &&
           verdict.stall->ci95->high <= kNoticeable / (1 + kNoticeable);
  }

  // This candidate, and after it those that may be faster. However wide the interval of another is, it is none if it
  // has the same compute and this one is at its limit.
  std::vector<std::size_t> contest_of(std::size_t candidate) const {
    const bool at_compute = is_at_compute(candidate);
    std::vector<std::size_t> contest{candidate};
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const bool is_held_back = at_compute && configuration(i).synthetic == configuration(candidate).synthetic;
      if (i != candidate && !is_held_back) contest.push_back(i);
    }
    return contest;
  }

  std::vector<std::vector<double>> rates_of(const std::vector<std::size_t>& candidates) const {
    std::vector<std::vector<double>> rates;
    rates.reserve(candidates.size());
    for (const std::size_t candidate : candidates) rates.push_back(rates_[candidate]);
    return rates;
  }

  double mean_of(std::size_t cell) const { return judgement_.cells[cell].samples_per_second->mean; }

  std::size_t fastest_of(const std::vector<Contender>& candidates) const {
    const auto best = std::ranges::max_element(candidates, {}, [&](const Contender& one) { return mean_of(one.cell); });
    return static_cast<std::size_t>(best - candidates.begin());
  }

  // A copy in another format has to be made, stored and kept up to date.
  bool is_converted(std::size_t candidate) const {
    const Cell& cell = result_.cells[candidates_[candidate].cell].cell;
    return !given_data_.empty() && !given_data_.contains(cell.data);
  }

  std::tuple<bool, std::size_t> effort(std::size_t contender) const {
    return {is_converted(contender), configuration(contender).workers};
  }

  std::tuple<bool, std::size_t, double, std::size_t> simplicity(std::size_t contender) const {
    const auto cost = cost_per_thousand_samples(result_.cells[candidates_[contender].cell].trials);
    return std::tuple_cat(effort(contender), std::tuple(cost ? cost->cpu_seconds.mean : 0, contender));
  }

  // CPU seconds per sample, one figure per trial; empty where a trial has none.
  std::vector<double> cpu_of(std::size_t contender) const {
    std::vector<double> seconds;
    for (const Trial& trial : result_.cells[candidates_[contender].cell].trials) {
      if (trial.pilot) continue;
      const double used = trial.usage.user_cpu_seconds + trial.usage.system_cpu_seconds;
      if (!(used > 0) || trial.samples == 0) return {};
      seconds.push_back(used / static_cast<double>(trial.samples));
    }
    return seconds;
  }

  bool clearly_takes_more_cpu(std::size_t one, std::size_t other) const {
    const auto its = cpu_of(one);
    const auto others = cpu_of(other);
    if (its.empty() || others.empty()) return false;
    const auto ratio = log_welch_ratio(others, its).ci95;
    return ratio && ratio->low > 1;
  }

  // Sorts the simplest to the front. Among those as simple as the one with the least CPU, the first of the run whose
  // CPU cannot be told from the least: otherwise chance would recommend a different one in each run.
  void sort_by_simplicity(std::vector<std::size_t>& sufficient) const {
    std::ranges::sort(sufficient, {}, [&](std::size_t i) { return simplicity(i); });
    if (sufficient.empty()) return;
    const std::size_t least = sufficient.front();
    const auto is_like_least = [&](std::size_t i) {
      return effort(i) == effort(least) && !clearly_takes_more_cpu(i, least);
    };
    auto first = sufficient.begin();
    for (auto it = sufficient.begin(); it != sufficient.end(); ++it) {
      if (is_like_least(*it) && *it < *first) first = it;
    }
    std::rotate(sufficient.begin(), first, first + 1);
  }

  const std::vector<double>& rates_of_configuration(std::size_t configuration) const {
    const auto found = std::ranges::find(candidates_, configuration, &Contender::configuration);
    return rates_[static_cast<std::size_t>(found - candidates_.begin())];
  }

  std::optional<WorkerChoice> workers_of(const Headline& headline) const {
    const auto own = std::ranges::find(candidates_, headline.configuration, &Contender::configuration);
    const Curve* const curve = curve_with(judgement_.curves, own->cell);
    if (curve == nullptr) return std::nullopt;
    const auto rate = [](const CurvePoint& one) { return one.point.samples_per_second.value; };
    WorkerChoice choice{.fewest = std::nullopt, .best = std::ranges::max_element(curve->points, {}, rate)->point};
    if (headline.recommended) choice.fewest = std::ranges::find(curve->points, own->cell, &CurvePoint::cell)->point;
    const Verdict& verdict = judgement_.configurations[headline.configuration].verdict;
    const std::size_t most = curve->points.back().point.workers;
    choice.most_tried = choice.fewest && choice.fewest->workers == most && choice.best.workers == most &&
                        !hardly_waits(verdict) && !verdict.storage_binds;
    return choice;
  }

  // Joules per thousand samples, one figure per trial; empty where a trial has none.
  std::vector<double> joules_of(std::size_t contender) const {
    std::vector<double> joules;
    for (const Trial& trial : counted(result_.cells[candidates_[contender].cell].trials)) {
      const auto used = trial.energy ? trial.energy->joules() : std::nullopt;
      if (!used || !(*used > 0) || trial.samples == 0) return {};
      joules.push_back(*used * 1000 / static_cast<double>(trial.samples));
    }
    return joules;
  }

  std::optional<FewestJoules> fewest_joules(const Headline& headline) const {
    if (candidates_.size() < 2) return std::nullopt;
    std::vector<std::vector<double>> joules;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      joules.push_back(joules_of(i));
      if (joules.back().empty()) return std::nullopt;
    }
    const auto mean = [](const std::vector<double>& values) { return summarize(values).mean; };
    const auto fewest = static_cast<std::size_t>(std::ranges::min_element(joules, {}, mean) - joules.begin());
    const auto own = std::ranges::find(candidates_, headline.configuration, &Contender::configuration);
    const auto its = static_cast<std::size_t>(own - candidates_.begin());
    FewestJoules found{.configuration = candidates_[fewest].configuration, .joules = mean(joules[fewest])};
    if (fewest == its) return found;
    found.others = mean(joules[its]);
    found.ratio = log_welch_ratio(joules[its], joules[fewest]);
    found.clearly = found.ratio->ci95 && found.ratio->ci95->high < 1;
    return found;
  }

  std::vector<Alternative> alternatives_to(const Headline& headline, const std::vector<std::size_t>& sufficient) const {
    std::vector<Alternative> alternatives;
    const std::string& own = judgement_.configurations[headline.configuration].loader;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::string& loader = configuration(i).loader;
      if (loader == own || std::ranges::find(alternatives, loader, &Alternative::loader) != alternatives.end())
        continue;
      const auto is_its = [&](std::size_t candidate) { return configuration(candidate).loader == loader; };
      const auto equal = std::ranges::find_if(sufficient, is_its);
      std::size_t its = i;
      for (std::size_t j = i + 1; j < candidates_.size(); ++j) {
        if (is_its(j) && mean_of(candidates_[j].cell) > mean_of(candidates_[its].cell)) its = j;
      }
      if (equal != sufficient.end()) its = *equal;
      alternatives.push_back({.loader = loader,
                              .configuration = candidates_[its].configuration,
                              .ratio = log_welch_ratio(rates_of_configuration(headline.configuration), rates_[its]),
                              .equal = equal != sufficient.end()});
    }
    return alternatives;
  }

  const Result& result_;
  const Judgement& judgement_;
  std::vector<Contender> candidates_;
  std::vector<std::vector<double>> rates_;      // as candidates_
  std::set<std::filesystem::path> given_data_;  // that loaders read which take any format
};

bool has_trials(const Judgement& judgement, std::optional<std::size_t> cell) {
  return cell && judgement.cells[*cell].samples_per_second.has_value();
}

// By FULL, or by IO where no configuration of the same workload and task has a FULL trial.
std::vector<Contender> contenders_of(const Judgement& judgement, const Configuration& like) {
  const auto is_its = [&](const Configuration& one) { return one.workload == like.workload && one.task == like.task; };
  const bool any_full = std::ranges::any_of(judgement.configurations, [&](const Configuration& one) {
    return is_its(one) && has_trials(judgement, one.full);
  });
  std::vector<Contender> candidates;
  for (std::size_t i = 0; i < judgement.configurations.size(); ++i) {
    const Configuration& one = judgement.configurations[i];
    const auto cell = any_full ? one.full : one.io;
    if (is_its(one) && has_trials(judgement, cell)) candidates.push_back({.configuration = i, .cell = *cell});
  }
  return candidates;
}

// Those that were requested in the mode that contenders are compared by and neither failed nor have trials.
// `contender`: one of those that have, whose cache state counts.
std::size_t unmeasured(const Result& result, const Judgement& judgement, const Configuration& like,
                       const CellResult& contender) {
  return static_cast<std::size_t>(std::ranges::count_if(judgement.configurations, [&](const Configuration& one) {
    const auto index = contender.cell.mode == Mode::kFull ? one.full : one.io;
    if (one.workload != like.workload || one.task != like.task || !index || has_trials(judgement, index)) return false;
    const CellResult& cell = result.cells[*index];
    return !cell.error && cell.cell.cache == contender.cell.cache;
  }));
}

// Whether FULL was requested for this workload and task, but no configuration has a trial of it because it failed.
bool full_failed(const Result& result, const Judgement& judgement, const Configuration& like) {
  bool any_failed = false;
  for (const Configuration& one : judgement.configurations) {
    if (one.workload != like.workload || one.task != like.task || !one.full) continue;
    if (has_trials(judgement, one.full)) return false;
    any_failed = any_failed || result.cells[*one.full].error.has_value();
  }
  return any_failed;
}

// Of results that were merged, whose cells do not name the cache state: nobody chooses it.
void keep_cache_state_of_fastest(const Result& result, const Judgement& judgement, std::vector<Contender>& candidates) {
  const auto fastest = std::ranges::max_element(
      candidates, {}, [&](const Contender& one) { return judgement.cells[one.cell].samples_per_second->mean; });
  const CacheState state = result.cells[fastest->cell].cell.cache;
  std::erase_if(candidates, [&](const Contender& one) { return result.cells[one.cell].cell.cache != state; });
}

}  // namespace

std::vector<Headline> headlines_of(const Result& result, const Judgement& judgement) {
  std::vector<Headline> headlines;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Configuration& configuration : judgement.configurations) {
    if (!seen.emplace(configuration.workload, configuration.task).second) continue;
    std::vector<Contender> candidates = contenders_of(judgement, configuration);
    if (candidates.empty()) continue;
    keep_cache_state_of_fastest(result, judgement, candidates);
    const CellResult& contender = result.cells[candidates.front().cell];
    Headline& headline = headlines.emplace_back(Recommender(result, judgement, std::move(candidates)).headline());
    headline.unmeasured = unmeasured(result, judgement, configuration, contender);
    if (full_failed(result, judgement, configuration)) {
      headline.withheld = Withheld::kFullFailed;
    } else if (found_warm(result, judgement.configurations[headline.configuration])) {
      headline.withheld = Withheld::kNotCold;
    }
    if (!headline.withheld) continue;
    headline.recommended.reset();
    headline.workers.reset();
  }
  return headlines;
}

}  // namespace loadline
