#include "harness/show/recommendation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/judge/python_words.h"
#include "harness/judge/tried.h"
#include "harness/judge/verdict_advice.h"
#include "harness/plan/command.h"
#include "harness/plan/find.h"
#include "harness/plan/settings.h"
#include "harness/result/merge_completeness.h"
#include "harness/show/columns.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

std::string workers_text(const Configuration& configuration) {
  if (configuration.workers == 0) return "";
  return fmt::format(" with {}", plural(configuration.workers, "worker"));
}

// "thread-pool with 6 workers", with the other settings that were chosen between.
std::string choice_text(const Judgement& judgement, const Configuration& configuration) {
  std::string text = configuration.loader + workers_text(configuration);
  const bool one_batch_size = std::ranges::all_of(judgement.configurations, [&](const Configuration& other) {
    return other.workload != configuration.workload || other.batch_size == configuration.batch_size;
  });
  if (!one_batch_size) text += fmt::format(", batches of {}", configuration.batch_size);
  if (!configuration.choices.empty()) text += ", " + axes_words(configuration.choices);
  return text;
}

// "hdf5-mmap"; "flow-graph with 2 workers" if it has that many only there.
std::string equal_name(const Judgement& judgement, const Headline& headline, const Alternative& alternative) {
  const Configuration& its = judgement.configurations[alternative.configuration];
  const bool as_many = its.workers == judgement.configurations[headline.configuration].workers;
  return alternative.loader + (as_many ? "" : workers_text(its));
}

std::string equals_text(const Judgement& judgement, const Headline& headline) {
  std::vector<std::string> names;
  for (const Alternative& alternative : headline.alternatives) {
    if (alternative.equal) names.push_back(equal_name(judgement, headline, alternative));
  }
  if (names.empty()) return "";
  return fmt::format("; {} {} as fast within {}", listed(names), names.size() == 1 ? "is" : "are",
                     plain_percent(kNoticeable));
}

std::string other_text(const Judgement& judgement, const Alternative& alternative) {
  const Estimate ratio{alternative.ratio.value, alternative.ratio.ci95};
  const std::string name = alternative.loader + workers_text(judgement.configurations[alternative.configuration]);
  if (!ratio.ci95) return fmt::format("; whether {} is as fast is unclear", name);
  if (!telling_factor(ratio)) {
    return ratio.ci95->high < 1 ? fmt::format("; {} is slower", name)
                                : fmt::format("; the trials are too noisy to say whether {} is as fast", name);
  }
  if (ratio.ci95->high < 1) return fmt::format("; {} reaches {} times that", name, factor(ratio));
  // The recommendation has shown the upper limit, by bounds that are narrower than the interval of the ratio, or by the
  // compute that both have.
  if (ratio.ci95->low > 1) return fmt::format("; {} is at most {} faster", name, plain_percent(kNoticeable));
  return fmt::format("; {} may be slower, and is at most {} faster", name, plain_percent(kNoticeable));
}

// What some tasks of an array recommend is not what the whole array will.
std::string scope_text(const Result& result) {
  const std::vector<std::string> shares = sweep_shares_of(result);
  return shares.empty() ? "" : fmt::format("of part{} {}, ", shares.size() == 1 ? "" : "s", listed(shares));
}

std::string recommended_text(const Result& result, const Judgement& judgement, const Headline& headline,
                             OthersShown others) {
  std::string text = fmt::format("{}: {}use {}", subject_words(headline.workload, headline.task), scope_text(result),
                                 choice_text(judgement, judgement.configurations[*headline.recommended]));
  const std::string equals = equals_text(judgement, headline);
  if (equals.empty() && !headline.equal.empty() && headline.recommended != headline.fastest) {
    text += fmt::format(", the simplest of {} that are as fast within {}", headline.equal.size() + 1,
                        plain_percent(kNoticeable));
  }
  text += equals;
  for (const Alternative& alternative : headline.alternatives) {
    if (others == OthersShown::kAll && !alternative.equal) text += other_text(judgement, alternative);
  }
  return text + ".\n";
}

std::string fewest_joules_text(const Judgement& judgement, const Headline& headline) {
  const auto& fewest = headline.fewest_joules;
  if (!fewest) return "";
  if (!fewest->others) {
    return fmt::format("Fewest joules: the same, {} per 1,000 samples.\n", plain_number(fewest->joules, 3));
  }
  return fmt::format("Fewest joules: {}, {} per 1,000 samples rather than {}{}.\n",
                     choice_text(judgement, judgement.configurations[fewest->configuration]),
                     plain_number(fewest->joules, 3), plain_number(*fewest->others, 3),
                     fewest->clearly ? "" : ", which these trials cannot tell apart");
}

std::string rivals_text(const Headline& headline) {
  const std::size_t others = headline.candidates - 1;
  if (headline.rivals < others) return fmt::format("{} of the {} others", headline.rivals, others);
  return others == 1 ? "the other" : others == 2 ? "both others" : fmt::format("all {} others", others);
}

std::string unmeasured_text(const Headline& headline) {
  const std::size_t count = headline.unmeasured;
  return count == 0 ? "" : fmt::format(", and {} {} not measured", count, count == 1 ? "is" : "are");
}

std::string undecided_text(const Result& result, const Judgement& judgement, const Headline& headline) {
  return fmt::format("{}: undecided: {} is fastest so far, but {} may be over {} faster{}; {}.\n",
                     subject_words(headline.workload, headline.task),
                     choice_text(judgement, judgement.configurations[headline.fastest]), rivals_text(headline),
                     plain_percent(kNoticeable), unmeasured_text(headline), more_trials_text(result, headline));
}

}  // namespace

std::string recommendation_text(const Result& result, const Judgement& judgement, OthersShown others) {
  std::string text;
  // Configurations of a program's own loop are its ranks, which are not alternatives.
  if (result.loop) return text;
  RunOptions options =
      result.best ? with_best_grid(result.options, result.environment.machine.threads_in_force) : result.options;
  for (const Headline& headline : judgement.headlines) {
    if (headline.candidates < 2) continue;
    if (headline.withheld) {
      text += fmt::format("{}: nothing to recommend, because {}.\n", subject_words(headline.workload, headline.task),
                          *headline.withheld == Withheld::kFullFailed ? "FULL failed" : "cold trials were not cold");
      continue;
    }
    if (!headline.recommended) {
      text += undecided_text(result, judgement, headline);
      continue;
    }
    const Configuration& use = judgement.configurations[*headline.recommended];
    const CellResult& cell = result.cells[use.full ? *use.full : *use.io];
    text += fmt::format("{}  {}\n{}", recommended_text(result, judgement, headline, others),
                        command_text(result, options, cell), fewest_joules_text(judgement, headline));
  }
  return text;
}

std::string command_text(const Result& result, const RunOptions& options, const CellResult& cell) {
  RunOptions its = options;
  Cell one = cell.cell;
  // The launcher sets the number of ranks: with the option, each process would be a separate run.
  if (!cell.trials.empty() && cell.trials.front().ranks) {
    its.world_size = 1;
    std::erase(one.axes, "world_size");
  }
  return run_command(its, one, kinds_of(result.datasets[cell.dataset].info), takes_workers(result, one));
}

namespace {

// Trials that count of each cell of the headline's workload, at most.
std::size_t most_trials(const Result& result, const Headline& headline) {
  std::size_t most = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.workload == headline.workload && cell.cell.mode != Mode::kOverhead) {
      most = std::max(most, rates_of(cell).size());
    }
  }
  return most;
}

// What it would take to recommend something, in terms of --trials.
std::string what_would_tell(const Result& result, const Headline& headline) {
  constexpr double kMost = 100;  // beyond, the advice would be worse than none
  if (result.status == Status::kPartial && !result.merged_from.empty()) {
    return "the merge lacks parts of the run; merge them too";
  }
  if (result.status == Status::kPartial) {
    return fmt::format("the run was stopped; {}", result.resumable() ? "--resume continues it" : "run it again");
  }
  const auto is_short = [&](const CellResult& cell) {
    return cell.stopped == Stopped::kTimeLimit && cell.cell.mode != Mode::kOverhead &&
           cell.cell.workload == headline.workload;
  };
  if (std::ranges::any_of(result.cells, is_short)) {
    return fmt::format("--time-limit left too few trials to tell; {}",
                       result.resumable() ? "--resume continues them" : "allow more time");
  }
  const bool as_requested = !result.options.until_ci && result.merged_from.empty();
  const std::size_t there = as_requested ? result.options.trials : most_trials(result, headline);
  if (!headline.trials_to_tell || there < kTellingTrials) {
    return fmt::format("too few trials to tell, use --trials {} or more", kTellingTrials);
  }
  const double trials = std::ceil(std::max(*headline.trials_to_tell, static_cast<double>(there + 1)));
  if (trials > kMost) return fmt::format("more than {:.0f} trials would be needed, so use a quieter machine", kMost);
  return fmt::format("about {:.0f} trials would decide ({})", trials,
                     result.options.until_ci ? "a larger --max-trials or a smaller --until-ci" : "--trials");
}

}  // namespace

std::string more_trials_text(const Result& result, const Headline& headline) {
  const std::string text = what_would_tell(result, headline);
  return result.options.until_ci ? with_until_ci(text) : text;
}

std::string workers_sentence(const Headline& headline) {
  if (!headline.workers) return "";
  if (!headline.workers->fewest) return " These trials cannot tell how many workers are enough.";
  const std::size_t fewest = headline.workers->fewest->workers;
  if (headline.workers->most_tried) {
    return fmt::format(" {}, the most that {} tried, {} the fastest; more may be faster still.",
                       plural(fewest, "worker"), fewest == 1 ? "was" : "were", fewest == 1 ? "is" : "are");
  }
  return fmt::format(" {} {} enough: nothing else tried is more than {} faster.", plural(fewest, "worker"),
                     fewest == 1 ? "is" : "are", plain_percent(kNoticeable));
}

}  // namespace loadline
