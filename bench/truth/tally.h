// How often something came out, with the interval that says how sure that is, and the table of what was to come out.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/statistics.h"

namespace loadline::truth {

struct Count {
  std::size_t hits = 0;
  std::size_t draws = 0;

  double share() const { return static_cast<double>(hits) / static_cast<double>(draws); }
};

// The exact 95 % interval of a share: both tails of the binomial distribution have 2.5 % at its ends (C. J. Clopper and
// E. S. Pearson, Biometrika 26, 1934). `draws` is at least 1.
Interval exact_interval(const Count& count);

// One line of the table: a share whose target range is `low` to `high`.
struct Target {
  std::string_view id;
  std::string_view what;
  double low = 0;
  double high = 1;
  std::string_view theory = {};  // why it cannot be had; mostly empty
};

enum class Outcome { kMet, kOpen, kMissed, kImpossible, kNoDraws };

// "met", "open", "missed", "impossible", "no draws".
std::string_view name(Outcome outcome);

// Met where the share lies within the target, missed where its whole interval lies outside, open between the two.
Outcome outcome_of(const Target& target, const Count& count);

// One thread; those of several are added up.
class Tally {
 public:
  // Of the target of this id, and of each part of the draws that is told apart, such as "trials 5".
  void count(std::string_view id, bool hit, const std::vector<std::string>& parts = {});
  // A draw that is worth looking at, a few for each target.
  void example(std::string_view id, const std::string& text);
  void add(const Tally& other);

  Count of(std::string_view id) const;
  const std::map<std::string, Count>& parts_of(std::string_view id) const;
  const std::vector<std::string>& examples_of(std::string_view id) const;

 private:
  struct Line {
    Count all;
    std::map<std::string, Count> parts;
    std::vector<std::string> examples;
  };
  std::map<std::string, Line, std::less<>> lines_;
};

}  // namespace loadline::truth
