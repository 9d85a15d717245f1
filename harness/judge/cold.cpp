#include "harness/judge/cold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/judge/cause_words.h"
#include "harness/judge/loader_time.h"
#include "harness/judge/phrase.h"
#include "harness/judge/verdict_advice.h"
#include "harness/judge/verdict_sentences.h"
#include "harness/plan/settings.h"
#include "harness/result/counted.h"

namespace loadline {
namespace {

constexpr double kStayed = 0.01;      // of the pages: less is as good as none
constexpr double kMostlyThere = 0.5;  // of the pages: a trial that finds more of them is a warm one
constexpr double kColdFromDevice =
    0.50;  // of the bytes: file systems that compress, and crops that overlap, read fewer

bool surely_below(const std::optional<Estimate>& estimate, double limit) {
  return estimate && estimate->ci95 && estimate->ci95->high < limit;
}

bool surely_above(const std::optional<Estimate>& estimate, double limit) {
  return estimate && estimate->ci95 && estimate->ci95->low > limit;
}

// IO cold against IO warm: "cold IO gives 0.35 ± 0.02 times what warm IO does".
std::string io_words(const Estimate& io) {
  if (telling_factor(io)) return fmt::format("cold IO reaches {} times the rate of warm IO", factor(io));
  return io.ci95->high < 1 ? "cold IO is slower than warm IO" : "cold IO is no slower than warm IO";
}

// How the loader of this cell can fetch faster. `storage_binds`: more reads in flight would not help.
std::string faster_fetching(const CellResult& cell, Access access, const Alternatives& tried, bool storage_binds) {
  constexpr std::string_view kCopy = "copy the data to faster storage first";
  if (storage_binds) return std::string(kCopy);
  // The HDF5 library reads under one lock, so more workers do not have more reads in flight.
  if (access == Access::kRows || access == Access::kBlocks) return std::string(kCopy);
  if (access == Access::kUnknown) return fmt::format("keep more reads in flight, or {}", kCopy);
  const MoreReads more = more_reads_of(cell, access, tried);
  return more.how.empty() ? fmt::format("{}, as {}", kCopy, more.tried) : fmt::format("{}, or {}", more.how, kCopy);
}

// Whether the workers have batches ready before they are taken. FULL cold is then slower than FULL warm for another
// reason than fetching.
bool is_ahead(const CellResult& cell) {
  const auto waiting = consumer_wait_of(cell);
  return waits_for_slots(cell) && waiting && waiting->value <= kNoticeable;
}

// FULL shows what storage costs this compute, IO what it costs the loader, which a compute may hide. `advice`: what
// makes fetching faster, and what to do about trials that are too noisy, which may be empty.
struct ColdAdvice {
  std::string faster;
  std::string other_reason;  // that fetching is not what takes the time; empty: it is, as far as is known
  std::string on_noise;
};

std::string advice_of(const ColdStart& cold, const ColdAdvice& advice) {
  if (surely_above(cold.fetch_stall, kNoticeable)) {
    const std::string why_not = surely_above(cold.io, 1 - kNoticeable) ? io_words(*cold.io) : advice.other_reason;
    if (!why_not.empty()) {
      return fmt::format(
          "yet {}, so reading is not what takes the time: use longer trials, in which the start weighs less", why_not);
    }
    return fmt::format("for data that is read once, {}", advice.faster);
  }
  if (!surely_below(cold.fetch_stall, kTooWide)) {
    return fmt::format("too noisy to say whether storage matters{}{}", advice.on_noise.empty() ? "" : "; ",
                       advice.on_noise);
  }
  if (surely_below(cold.io, 1 - kNoticeable)) {
    return fmt::format("storage keeps up with this compute, but {}, so a faster compute may wait for it",
                       io_words(*cold.io));
  }
  return "storage keeps up";
}

// As stall_text(), but for a sentence.
std::string share_words(const Estimate& stall) {
  const std::string text = stall_text(stall);
  if (text.starts_with("< ")) return "less than " + text.substr(2);
  return text.starts_with("> ") ? "more than " + text.substr(2) : text;
}

// How much of its time a first pass spends on fetching; empty where the trials do not even tell roughly.
std::string fetch_share_words(const Estimate& stall) {
  if (telling_share(stall)) return share_words(stall);
  if (surely_above(stall, kNoticeable)) return fmt::format("at least {:.0f} %", std::floor(100 * stall.ci95->low));
  return surely_below(stall, kTooWide) ? "less than " + plain_percent(kTooWide) : "";
}

std::string sentence_of(const ColdStart& cold, const std::optional<double>& stayed, const ColdAdvice& advice) {
  if (stayed) {
    return fmt::format(
        " A first pass, with an empty page cache, was not measured: {:.0f} % of the pages were there before the cold "
        "trials.",
        std::floor(100 * *stayed));
  }
  if (!cold.fetch_stall.ci95) {
    return " One trial of FULL cannot tell how much of a first pass, with an empty page cache, goes into fetching: use "
           "--trials 5.";
  }
  const std::string share = fetch_share_words(cold.fetch_stall);
  if (share.empty()) {
    return fmt::format(" A first pass, with an empty page cache: {}.", advice_of(cold, advice));
  }
  const std::string later =
      cold.prep_stall && telling_share(*cold.prep_stall)
          ? fmt::format("; later ones spend {} waiting for preparation (FULL warm against SYNTHETIC)",
                        share_words(*cold.prep_stall))
          : "";
  return fmt::format(
      " A first pass, with an empty page cache, spends {} of its time on fetching (FULL cold against FULL "
      "warm){}: {}.",
      share, later, advice_of(cold, advice));
}

// Rates of one over those of the other; nullopt where either has no trials.
std::optional<Estimate> io_ratio(const Result& result, const Configuration& warm, const Configuration& cold) {
  if (!warm.io || !cold.io) return std::nullopt;
  const auto warm_rates = rates_of(result.cells[*warm.io]);
  const auto cold_rates = rates_of(result.cells[*cold.io]);
  if (warm_rates.empty() || cold_rates.empty()) return std::nullopt;
  const Ratio ratio = log_welch_ratio(warm_rates, cold_rates);
  return Estimate{ratio.value, ratio.ci95};
}

void put_not_cold(double stayed, Verdict& verdict) {
  for (std::string* const text : {&verdict.sentence, &verdict.brief, &verdict.briefest}) {
    *text = fmt::format(
        "Not cold: {:.0f} % of the pages stayed in the page cache, so these figures are those of a warm run. {}",
        std::floor(100 * stayed), *text);
  }
}

bool has_trials(const Result& result, const Configuration& configuration, CacheState state) {
  if (!configuration.full) return false;
  const CellResult& cell = result.cells[*configuration.full];
  return starts(cell.cell, state) && !cell.trials.empty();
}

}  // namespace

Coldness ColdProof::coldness() const {
  if (stayed && *stayed > kStayed) return Coldness::kStayed;
  if (from_device) return *from_device < kColdFromDevice ? Coldness::kDoubted : Coldness::kProved;
  return stayed ? Coldness::kProved : Coldness::kUnknown;
}

double stored_bytes_of(const Trial& trial, const Cell& cell, const DatasetInfo& info) {
  const auto all = static_cast<double>(info.stored_bytes);
  const auto samples = static_cast<double>(trial.samples);
  if (const auto& tokens = info.tokens) {
    return std::min(all, samples * static_cast<double>((tokens->sequence_length + 1) * tokens->token_bytes));
  }
  if (!info.volume) return samples * all / static_cast<double>(info.samples);
  const VolumeShape crop{.edge = cell.dataset.crop_edge,
                         .input_channels = info.volume->input_channels,
                         .target_channels = info.volume->target_channels};
  return std::min(all, samples * static_cast<double>(crop.bytes()));
}

ColdProof cold_proof(const Trial& trial, const Cell& cell, const DatasetInfo& info) {
  ColdProof proof;
  const auto& before = trial.page_cache.before;
  if (before && before->resident_pages && before->pages > 0) {
    proof.stayed = static_cast<double>(*before->resident_pages) / static_cast<double>(before->pages);
  }
  if (const auto& read = trial.usage.device_read_bytes) {
    proof.from_device = static_cast<double>(*read) / stored_bytes_of(trial, cell, info);
  }
  return proof;
}

std::optional<double> found_warm(const Result& result, const Configuration& configuration) {
  std::size_t trials = 0;
  Moments stayed;
  for (const auto& index : {configuration.io, configuration.full}) {
    if (!index) continue;
    const CellResult& cell = result.cells[*index];
    if (!starts(cell.cell, CacheState::kCold)) continue;
    for (const Trial& trial : counted(cell.trials)) {
      const ColdProof proof = cold_proof(trial, cell.cell, result.datasets[cell.dataset].info);
      ++trials;
      if (proof.stayed.value_or(0) > kMostlyThere) stayed.add(*proof.stayed);
    }
  }
  return 2 * stayed.count() > trials ? std::optional(stayed.mean()) : std::nullopt;
}

bool ends_with_epoch(const Cell& cell, const Trial& trial, const DatasetInfo& info) {
  const std::size_t ranks = trial.rank_count();
  return trial.samples + cell.sampler.batch_size * ranks > info.samples / cell.sampler.world_size * ranks;
}

void add_cold_starts(const Result& result, Judgement& judgement) {
  const auto full = [&](const Configuration& configuration) -> const CellResult& {
    return result.cells[*configuration.full];
  };
  const auto key = [&](const Configuration& configuration) {
    return key_of(full(configuration).cell, kAllParts, "cache");
  };
  std::unordered_map<std::string, std::size_t> warm;
  for (std::size_t i = 0; i < judgement.configurations.size(); ++i) {
    const Configuration& configuration = judgement.configurations[i];
    if (has_trials(result, configuration, CacheState::kWarm)) warm.emplace(key(configuration), i);
  }
  const std::vector<Alternatives> tried = alternatives_of(result, judgement.configurations, Mode::kFull);
  for (std::size_t i = 0; i < judgement.configurations.size(); ++i) {
    Configuration& configuration = judgement.configurations[i];
    const auto stayed = found_warm(result, configuration);
    if (stayed) put_not_cold(*stayed, configuration.verdict);
    if (!has_trials(result, configuration, CacheState::kCold)) continue;
    const auto twin = warm.find(key(configuration));
    if (twin == warm.end()) continue;
    const Configuration& later = judgement.configurations[twin->second];
    const std::vector<double> warm_rates = rates_of(full(later));
    const std::vector<double> cold_rates = rates_of(full(configuration));
    ColdStart cold{.warm = twin->second,
                   .fetch_stall = *stall_between(warm_rates, cold_rates),
                   .prep_stall = later.verdict.stall,
                   .io = io_ratio(result, later, configuration),
                   .sentence = ""};
    const bool said = says_too_noisy(configuration.verdict);
    const CellResult& cell = full(configuration);
    const ColdAdvice advice{.faster = faster_fetching(cell, result.datasets[cell.dataset].info.access, tried[i],
                                                      configuration.verdict.storage_binds),
                            .other_reason = is_ahead(cell)
                                                ? slot_wait_words(cell) + ", and the compute hardly waits for batches"
                                                : std::string(),
                            .on_noise = said ? "" : more_trials({warm_rates, cold_rates})};
    cold.sentence = sentence_of(cold, stayed, advice);
    if (!stayed) configuration.verdict.sentence += cold.sentence;  // otherwise it has been said
    configuration.cold_start = std::move(cold);
  }
}

}  // namespace loadline
