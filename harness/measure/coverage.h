// Whether the ranks of a run, all together, read each sample once an epoch.
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

// What was read of one epoch, whatever its order: how many samples, and the sum, modulo 2^64, of a 64-bit hash of each
// index. Parts of an epoch add up; all of it has a sum that no other choice of as many samples is likely to have.
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

// Of an epoch in which each of so many samples comes once.
EpochTally whole_epoch(std::uint64_t samples);

// For another rank, and back.
std::string text_of(const EpochTallies& tallies);
EpochTallies tallies_of(const std::string& text);

// What ranks read together, of a dataset of so many samples.
RankCoverage coverage_of(std::span<const EpochTallies> of_ranks, std::uint64_t dataset_samples);

// A feed that notes what its consumer is given, at some nanoseconds a sample; nothing where it does not tell which
// samples these are. `tallies` outlive it.
std::unique_ptr<Feed> tallied(std::unique_ptr<Feed> feed, EpochTallies& tallies);

}  // namespace loadline
