// Whether the ranks of a run together read each sample once per epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/result/rank_record.h"
#include "loaders/loader.h"

namespace loadline {

// What was read of one epoch, in any order: the number of samples, and the sum, modulo 2^64, of a 64-bit hash of each
// index. Tallies of parts add up. Another set of as many samples is unlikely to have the sum of the whole epoch.
struct EpochTally {
  std::uint64_t samples = 0;
  std::uint64_t sum = 0;

  void add(std::uint64_t index);
  void add(const EpochTally& other) {
    samples += other.samples;
    sum += other.sum;
  }
  bool operator==(const EpochTally&) const = default;
};

using EpochTallies = std::map<std::uint64_t, EpochTally>;  // by epoch

// The tally of an epoch in which each of `samples` samples comes once.
EpochTally whole_epoch(std::uint64_t samples);

// As text to send to another rank, and back.
std::string text_of(const EpochTallies& tallies);
EpochTallies tallies_of(const std::string& text);

// What the ranks together read of a dataset of `dataset_samples` samples.
RankCoverage coverage_of(std::span<const EpochTallies> of_ranks, std::uint64_t dataset_samples);

// A feed that tallies the samples that its consumer gets, at a few nanoseconds per sample. Tallies nothing if `feed`
// does not report its samples. `tallies` must outlive it.
std::unique_ptr<Feed> tallied(std::unique_ptr<Feed> feed, EpochTallies& tallies);

}  // namespace loadline
