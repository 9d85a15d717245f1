#include "harness/show/search_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/judge/phrase.h"
#include "harness/judge/python_words.h"
#include "harness/judge/statistics.h"
#include "harness/judge/utilisation.h"
#include "harness/judge/verdict_advice.h"
#include "harness/judge/verdict_sentences.h"
#include "harness/plan/find.h"
#include "harness/show/columns.h"
#include "harness/show/table.h"

namespace loadline {
namespace {

// "AU 94 ± 3 %"; without an interval it says so. Where noise leaves no figure but shows on which side of `wanted` it
// is, "AU at least 96.4 %", because the line goes on to say that this is enough, or "AU at most 71.2 %".
std::string utilisation_text(const Probe& probe, double wanted) {
  const Estimate utilisation = utilisation_of(probe.synthetic, probe.full);
  if (utilisation.ci95 && !telling_share(utilisation)) {
    const auto least = least_utilisation_of(probe);
    if (probe.enough && least) return fmt::format("AU at least {}", percent_at_least(*least));
    if (standing_of(utilisation, wanted) == Standing::kMissed)
      return fmt::format("AU at most {}", percent_at_most(utilisation.ci95->high));
  }
  return fmt::format("AU {}{}", percent_beside(utilisation, wanted), utilisation.ci95 ? "" : " by one trial");
}

// A probe is judged by a one-sided bound, a whole run by the printed interval.
std::string_view outcome_text(const Probe& probe, double asked) {
  const Standing standing = standing_of(utilisation_of(probe.synthetic, probe.full), asked);
  if (probe.confirms) return standing == Standing::kMet ? "confirmed" : name(standing);
  if (probe.enough) return "enough";
  return standing == Standing::kMissed ? "not enough" : "not certainly enough";
}

// "412.0 k samples/s", "3 devices", "2 workers".
std::string value_text(const FindKind& kind, double value) {
  if (!kind.whole) return fmt::format("{} samples/s", rate_text(summarize(std::array{value})));
  return plural(static_cast<std::size_t>(value), kind.parameter.empty() ? "worker" : "device");
}

// "thread-pool with 2 workers"; only the loader if workers are searched for, or there are none.
std::string found_loader_text(const FindKind& kind, const Configuration& configuration) {
  if (kind.parameter.empty() || configuration.workers == 0) return configuration.loader;
  return fmt::format("{} with {}", configuration.loader, plural(configuration.workers, "worker"));
}

// The probe of the next more demanding value, if that was not enough.
const Probe* next_too_much(const Search& search) {
  const bool largest = find_kind_named(search.kind).largest;
  const double found = search.probes.back().value;
  const Probe* next = nullptr;
  for (const Probe& probe : search.probes) {
    const bool beyond = largest ? probe.value > found : probe.value < found;
    if (probe.confirms || probe.enough || !beyond) continue;
    if (next == nullptr || (largest ? probe.value < next->value : probe.value > next->value)) next = &probe;
  }
  return next;
}

// " 11 devices may do too: short trials were too noisy to tell (AU 92 ± 11 %).", where such trials set the limit of
// whole numbers without showing that the next is too much; empty where they did.
std::string open_limit_text(const FindKind& kind, const Search& search) {
  const Probe* const next = kind.whole ? next_too_much(search) : nullptr;
  if (next == nullptr) return "";
  const Estimate utilisation = utilisation_of(next->synthetic, next->full);
  if (standing_of(utilisation, search.utilisation) == Standing::kMissed) return "";
  const std::string figure =
      telling_share(utilisation) ? fmt::format(" ({})", utilisation_text(*next, search.utilisation)) : "";
  return fmt::format(" {} may do too: short trials were too noisy to tell{}.", value_text(kind, next->value), figure);
}

}  // namespace

std::string probe_text(const Search& search) {
  const Probe& probe = search.probes.back();
  return fmt::format("{} {}: {}: {}, {}", probe.confirms ? "confirmation" : "probe",
                     std::ranges::count(search.probes, probe.confirms, &Probe::confirms),
                     value_text(find_kind_named(search.kind), probe.value), utilisation_text(probe, search.utilisation),
                     outcome_text(probe, search.utilisation));
}

std::string search_text(const Result& result, const Judgement& judgement) {
  if (!result.search || judgement.configurations.empty()) return "";
  const Search& search = *result.search;
  const auto standing = standing_of(search);
  if (!standing) return "";
  const FindKind& kind = find_kind_named(search.kind);
  const Probe& last = search.probes.back();
  const std::string loader = found_loader_text(kind, judgement.configurations.front());
  const std::string wanted = fmt::format("AU {:.4g} % or more", 100 * search.utilisation);
  const std::string value = value_text(kind, last.value);
  const std::string at = utilisation_text(last, search.utilisation);
  if (standing == Standing::kMissed) {
    // Workers that mostly wait need no CPU each, so more than these may well do.
    const bool only_cpus = kind.parameter.empty() && result.options.workers.empty();
    return fmt::format("{}: {} does not keep {}: at {}{} it reaches {}.{}\n", search.kind, loader, wanted, value,
                       only_cpus ? ", one for each CPU in force," : "", at,
                       only_cpus ? " --workers N searches up to N." : "");
  }
  if (standing == Standing::kUnclear) {
    const bool advised = says_too_noisy(judgement.configurations.front().verdict);
    const std::string advice = advised ? "" : "; " + more_trials({last.synthetic, last.full});
    const std::string unclear = fmt::format("{}: whether {} keeps {} at {} is unclear: {}{}.\n", search.kind, loader,
                                            wanted, value, at, advice);
    return result.options.until_ci ? with_until_ci(unclear) : unclear;
  }
  const std::string lowered = search.found && last.value != *search.found
                                  ? fmt::format(" Short trials had suggested {}, which a full run did not confirm.",
                                                value_text(kind, *search.found))
                                  : "";
  const std::string open = lowered.empty() ? open_limit_text(kind, search) : "";
  // Its short trials were not certainly enough, which left nothing to try.
  const bool untried = kind.whole && !search.found && (kind.largest || last.value > least_of(result.options));
  const std::string more = untried
                               ? fmt::format(" {} were not tried, because short trials were too noisy: run it again.",
                                             kind.largest ? "More" : "Fewer")
                               : "";
  if (kind.parameter.empty()) {
    return fmt::format("{}: {} keeps {} with {} ({}).{}{}{}\n", search.kind, loader, wanted, value, at, lowered, open,
                       more);
  }
  // If the search stopped at its upper end, the loader may well feed more, and where it fell back, it hardly knows.
  const bool all = kind.whole && last.value >= most_of(result.options, result.environment.machine.threads_in_force);
  const std::string_view bound = lowered.empty() && open.empty() && !untried ? "up to" : "at least";
  return fmt::format("{}: {} feeds {} at {} ({}).{}{}{}\n", search.kind, loader,
                     all ? fmt::format("{}, the highest value accepted,", value) : fmt::format("{} {}", bound, value),
                     wanted, at, lowered, open, more);
}

}  // namespace loadline
