#include "harness/judge/scaling_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/judge/phrase.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

constexpr double kBusy = 0.9;          // of CPUs: hardly any of their time is left
constexpr double kLongerReads = 1.2;   // times as long: more than noise
constexpr double kNamedPoint = 0.005;  // a part below it is not named
constexpr double kBeyondAll = 1.01;    // of an efficiency: not even whole percents explain it by rounding
constexpr std::size_t kCountsOfLaw = 3;

std::string count_of_ranks(std::size_t ranks) {
  return ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks);
}

std::string keep(std::size_t ranks) {
  return ranks == 1 ? "keeps" : "keep";
}

// An interval too wide for a figure shows nothing, even if all of it lies above what is asked: two disturbed trials of
// the fewest ranks are enough for that.
bool surely_keeps(const RankPoint& point, double efficiency) {
  return telling_share(point.efficiency) && point.efficiency.ci95->low >= efficiency;
}

bool surely_beyond_all(const RankPoint& point) {
  return point.efficiency.ci95 && point.efficiency.ci95->low >= kBeyondAll;
}

bool surely_misses(const RankPoint& point, double efficiency) {
  return point.efficiency.ci95 && point.efficiency.ci95->high < efficiency;
}

// An efficiency that certainly misses what is asked. Where noise leaves no figure, its interval still has an end.
std::string missed_text(const Estimate& efficiency, double asked) {
  if (!efficiency.ci95 || telling_share(efficiency)) return percent_beside(efficiency, asked);
  return fmt::format("at most {}", percent_at_most(efficiency.ci95->high));
}

double points_of(double share) {
  return 100 * share;
}

// Of a share of at least kNamedPoint: "1 point", "17 points".
std::string points_text(double share) {
  return plural(static_cast<std::size_t>(std::max(1LL, std::llround(points_of(share)))), "point");
}

// ", less 3 points from faster steps".
std::string gained_parts_text(const LostTime& lost) {
  const std::array parts{std::pair(lost.loading, "less waiting for data"),
                         std::pair(lost.gradients, "less waiting for gradients of other ranks"),
                         std::pair(lost.stragglers, "less waiting for the slowest rank"),
                         std::pair(lost.step, "faster steps")};
  std::string text;
  for (const auto& [share, what] : parts) {
    if (share > -kNamedPoint) continue;
    text += fmt::format("{} {} from {}", text.empty() ? ", less" : " and", points_text(-share), what);
  }
  return text;
}

// "41 points to waiting for data and 3 points to waiting for the slowest rank", the most first; parts that were gained
// follow, since without them these would exceed the whole.
std::string lost_parts_text(const LostTime& lost) {
  std::vector<std::pair<double, std::string_view>> parts{{lost.loading, "to waiting for data"},
                                                         {lost.gradients, "to waiting for gradients of other ranks"},
                                                         {lost.stragglers, "to waiting for the slowest rank"},
                                                         {lost.step, "to slower steps"}};
  std::ranges::sort(parts, std::ranges::greater{}, &std::pair<double, std::string_view>::first);
  std::vector<std::string> words;
  for (const auto& [share, what] : parts) {
    if (share >= kNamedPoint) words.push_back(fmt::format("{} {}", points_text(share), what));
  }
  if (words.empty()) return "";
  return listed(words) + gained_parts_text(lost);
}

std::string cpus_cause(const RankPoint& first, const RankPoint& point) {
  const bool fewer = point.cpus < first.cpus;
  const bool busy = point.cpu_share && *point.cpu_share >= kBusy;
  const bool crowded = point.shared && point.cpus * point.ranks <= first.cpus * first.ranks;
  if (!fewer && !busy && !crowded) return "";
  std::string text = "ranks share the CPUs";
  if (fewer) text += fmt::format(", {} for each instead of {}", point.cpus, first.cpus);
  if (point.cpu_share) {
    text += fmt::format(", which are busy for {:.0f} % of the time", std::min(100.0, points_of(*point.cpu_share)));
  }
  return text;
}

std::string storage_cause(const RankPoint& first, const RankPoint& point) {
  if (!(first.read_seconds > 0) || point.read_seconds < kLongerReads * first.read_seconds) return "";
  std::string text =
      fmt::format("reading a sample takes a worker {} times as long as with {}",
                  factor({.value = point.read_seconds / first.read_seconds}), count_of_ranks(first.ranks));
  if (point.from_storage) text += ": the storage that all ranks share is the limit";
  return text;
}

std::string loading_cause(const RankPoint& first, const RankPoint& point) {
  std::string storage = storage_cause(first, point);
  std::string cpus = cpus_cause(first, point);
  // Threads that wait for storage leave CPUs idle.
  if (!storage.empty() && (point.from_storage || cpus.empty())) return storage;
  return cpus;
}

std::string step_cause(const RankPoint& first, const RankPoint& point, ScalingKind kind) {
  std::string cpus = cpus_cause(first, point);
  if (kind == ScalingKind::kWeak) return cpus;
  const std::string share =
      fmt::format("a rank's share of the batch is {} instead of {} samples", point.batch_size, first.batch_size);
  return cpus.empty() ? share : fmt::format("{}, and {}", share, cpus);
}

std::string cause_of(const RankPoint& first, const RankPoint& point, ScalingKind kind) {
  const LostTime& lost = point.lost;
  const double most = std::max({lost.loading, lost.gradients, lost.stragglers, lost.step});
  if (most == lost.loading) return loading_cause(first, point);
  if (most == lost.step) return step_cause(first, point, kind);
  return "";
}

std::string sentence_of_loss(const RankPoint& first, const RankPoint& point, ScalingKind kind) {
  const std::string parts = lost_parts_text(point.lost);
  if (parts.empty()) return "";
  const std::string cause = cause_of(first, point, kind);
  return fmt::format(" With {}, a rank loses {:.0f} % of its time: {}{}{}.", count_of_ranks(point.ranks),
                     std::max(0.0, points_of(point.lost.all())), parts, cause.empty() ? "" : "; ", cause);
}

// No rank can do more than it does alone, unless the comparison is off. Empty where none does.
std::string sentence_beyond_all(const RankCurve& curve) {
  const auto beyond = std::ranges::find_if(curve.points, surely_beyond_all);
  if (beyond == curve.points.end()) return "";
  const std::size_t first = curve.points.front().ranks;
  return fmt::format(
      " The efficiency of {} is more than 100 %: the run of {} was disturbed, or more ranks share what {} to load; "
      "measure again.",
      count_of_ranks(beyond->ranks), count_of_ranks(first),
      first == 1 ? "one rank alone has" : fmt::format("{} ranks have", first));
}

std::string of_first(const RankPoint& first) {
  return first.ranks == 1 ? "of what one rank does alone" : fmt::format("of what a rank does among {}", first.ranks);
}

}  // namespace

ScalingLimit limit_of(const RankCurve& curve, double efficiency) {
  ScalingLimit limit;
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    if (surely_misses(curve.points[i], efficiency)) {
      limit.stopped = i;
      break;
    }
    if (surely_keeps(curve.points[i], efficiency)) limit.kept = i;
  }
  const std::size_t end = limit.stopped.value_or(curve.points.size());
  if (limit.kept + 1 < end) limit.unclear = limit.kept + 1;
  return limit;
}

std::string scaling_sentence(const RankCurve& curve, const ScalingStudy& study) {
  const ScalingLimit limit = limit_of(curve, study.efficiency);
  const RankPoint& first = curve.points.front();
  const RankPoint& kept = curve.points[limit.kept];
  const std::string asked = plain_percent(study.efficiency);
  std::string text;
  if (limit.kept + 1 == curve.points.size()) {
    text = fmt::format("Scales to {}, the most that were measured: efficiency {} {}; {} counts as scaling.",
                       count_of_ranks(kept.ranks), percent(kept.efficiency), of_first(first), asked);
  } else if (limit.kept > 0) {
    text = fmt::format("Scales to {}: efficiency {} {}.", count_of_ranks(kept.ranks), percent(kept.efficiency),
                       of_first(first));
  } else if (limit.stopped && !limit.unclear) {
    text = fmt::format("Does not scale beyond {}.", count_of_ranks(kept.ranks));
  }
  if (limit.unclear) {
    const RankPoint& unclear = curve.points[*limit.unclear];
    text +=
        fmt::format("{}Whether {} {} an efficiency of {} is unclear: {}; use more --trials.", text.empty() ? "" : " ",
                    count_of_ranks(unclear.ranks), keep(unclear.ranks), asked, percent(unclear.efficiency));
  }
  text += sentence_beyond_all(curve);
  if (!limit.stopped) return text;
  const RankPoint& stopped = curve.points[*limit.stopped];
  text += fmt::format(" {} {} {}, below the {} that counts as scaling.", count_of_ranks(stopped.ranks),
                      stopped.ranks == 1 ? "has" : "have", missed_text(stopped.efficiency, study.efficiency), asked);
  return text + sentence_of_loss(first, stopped, study.kind);
}

std::string share_sentence(const RankCurve& curve, const ScalingStudy& study) {
  if (study.kind != ScalingKind::kStrong) return "";
  const RankPoint& first = curve.points.front();
  for (const RankPoint& point : curve.points) {
    if (!point.step_efficiency || !point.step_efficiency->ci95) continue;
    if (point.step_efficiency->ci95->high >= study.efficiency) continue;
    const bool fewer_cpus = point.cpus < first.cpus;
    return fmt::format(
        "From {} on, a rank's share of the batch{} is too small for the step: alone, with {} samples{}, it takes {} of "
        "the samples per second that it takes with {}.",
        count_of_ranks(point.ranks), fewer_cpus ? " or of the CPUs" : "", point.batch_size,
        fewer_cpus ? fmt::format(" on {} CPU{}", point.cpus, point.cpus == 1 ? "" : "s") : "",
        missed_text(*point.step_efficiency, study.efficiency),
        fewer_cpus ? fmt::format("{} on {}", first.batch_size, first.cpus) : fmt::format("{}", first.batch_size));
  }
  return "";
}

std::string mebibytes_text(double bytes) {
  constexpr double kLeast = 0.01;   // so small, nobody needs digits; far below, {:.3g} has an exponent
  constexpr double kWhole = 99.95;  // from here on {:.3g} has no decimals, and from 999.5 on an exponent
  const double mebibytes = bytes / (1024 * 1024);
  if (mebibytes > 0 && mebibytes < kLeast) return "< 0.01";
  return mebibytes < kWhole ? fmt::format("{:.3g}", mebibytes) : fmt::format("{:.0f}", mebibytes);
}

std::string reads_sentence(const RankCurve& curve) {
  const bool known =
      std::ranges::any_of(curve.points, [](const RankPoint& point) { return point.read_bytes_per_second.has_value(); });
  if (!known) return "";
  const auto from_storage = std::ranges::count_if(curve.points, &RankPoint::from_storage);
  if (from_storage == std::ssize(curve.points)) return "MiB/s: stored bytes of the samples, which came from storage.";
  if (from_storage > 0) return "MiB/s: stored bytes of the samples, which came partly from storage.";
  std::optional<double> most;
  for (const RankPoint& point : curve.points) most = std::max(most, point.device_bytes_per_second);
  // Upwards, as it is a bound.
  const std::string from_disks =
      !most       ? ""
      : *most > 0 ? fmt::format("; disks delivered at most {:.1f} MiB/s", std::ceil(10 * *most / (1024 * 1024)) / 10)
                  : "; nothing was read from disks";
  return fmt::format("MiB/s: stored bytes of the samples, which came from the page cache{}.", from_disks);
}

std::vector<std::string> law_sentences(const RankCurve& curve) {
  std::vector<std::string> sentences{fmt::format("Ideal: {} samples/s per rank.", rate(curve.per_rank()))};
  const auto off = [&](double residual) {
    return curve.points.size() == kCountsOfLaw
               ? std::string("; three counts determine it, so they cannot show how well it fits.")
               : fmt::format("; off by {:.1f} %.", points_of(residual));
  };
  if (const auto law = curve.scalability()) {
    std::string text =
        fmt::format("Universal Scalability Law: {} samples/s per rank, contention {:.3f}, coherency {:.5f}",
                    rate(law->lambda), law->sigma, law->kappa);
    const auto peak = law->peak_workers();
    if (peak && *peak <= static_cast<double>(curve.points.back().ranks)) {
      text += fmt::format(", peak at {}", count_of_ranks(static_cast<std::size_t>(*peak)));
    }
    sentences.push_back(text + off(law->residual));
  }
  if (const auto law = curve.capped()) {
    std::string text = fmt::format("Shared cap, min(ranks x {}, cap): ", rate(law->per_worker));
    if (law->cap) {
      text += fmt::format("at most {} samples/s", rate(*law->cap));
      const RankPoint& last = curve.points.back();
      if (last.read_bytes_per_second) {
        const double bytes = *last.read_bytes_per_second / last.samples_per_second.value;
        text += fmt::format(", {} MiB/s", mebibytes_text(bytes * *law->cap));
      }
      text += fmt::format(", which {:.1f} ranks reach", *law->cap / law->per_worker);
    } else {
      text += "no cap was reached";
    }
    sentences.push_back(fmt::format("{}; off by {:.1f} %.", text, points_of(law->residual)));
  }
  return sentences;
}

std::vector<std::string> sentences_of(const RankCurve& curve, const ScalingStudy& study) {
  std::vector<std::string> sentences{scaling_sentence(curve, study)};
  for (std::string& text : std::array{share_sentence(curve, study), reads_sentence(curve)}) {
    if (!text.empty()) sentences.push_back(std::move(text));
  }
  for (std::string& text : law_sentences(curve)) sentences.push_back(std::move(text));
  return sentences;
}

}  // namespace loadline
