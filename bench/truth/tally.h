// How often an outcome occurred, with its confidence interval, and the table of target outcomes.
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

// The exact 95 % interval of a share: at each end one tail of the binomial distribution has 2.5 % (C. J. Clopper and
// E. S. Pearson, Biometrika 26, 1934). `draws` is at least 1.
Interval exact_interval(const Count& count);

// One line of the table: a share whose target range is `low` to `high`.
struct Target {
  std::string_view id;
  std::string_view what;
  double low = 0;
  double high = 1;
  std::string_view theory = {};  // why it is unattainable; usually empty
};

enum class Outcome { kMet, kOpen, kMissed, kImpossible, kNoDraws };

// "met", "open", "missed", "impossible", "no draws".
std::string_view name(Outcome outcome);

// Met if the share lies within the target, missed if its whole interval lies outside, open in between.
Outcome outcome_of(const Target& target, const Count& count);

// One thread; tallies of several threads are added up.
class Tally {
 public:
  // Counts a draw for the target with this id and for each distinguished part of the draws, such as "trials 5".
  void count(std::string_view id, bool hit, const std::vector<std::string>& parts = {});
  // A draw worth looking at; keeps a few per target.
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
