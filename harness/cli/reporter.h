// Shows the progress of a run and saves its result file meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "harness/cli/progress.h"
#include "harness/cli/result_file.h"
#include "harness/measure/observer.h"
#include "harness/measure/time_left.h"
#include "synthetic/clock.h"

namespace loadline {

// Saves the result so far. Returns a sentence if there is a problem to report, such as a full disk.
using SaveResult = std::function<std::optional<std::string>(const Result&)>;

// Borrows both; they must outlive what it returns.
SaveResult saving_to(ResultFile& file, Clock& clock);

class Reporter final : public RunObserver {
 public:
  // `save`: empty if no result is kept. Borrows options and clock.
  Reporter(const RunOptions& options, SaveResult save, Clock& clock);

  // From now on says with each trial how long the rest of the run takes. Without this call it does not: a search has
  // no known end.
  void expect(const TimeLeft& left) {
    left_ = left;
    last_ = clock_.now();
  }
  Progress& progress() { return progress_; }

  void on_dataset(const DatasetFacts& facts) override;
  void on_first_epoch(const Result& result, const CellResult& cell) override;
  void on_trial(const Result& result, const CellResult& cell) override;
  void on_ceiling(const Result& result, const CeilingResult& ceiling) override;
  void on_probe(const Result& result) override;

 private:
  void trial_done(const Result& result, const std::string& what, std::size_t round);
  // A part that is done, and how long the rest takes: one line that a terminal overwrites.
  void show(const std::string& line, const std::string& left);
  void failed(const Result& result, const std::string& what);
  void save(const Result& result);
  // Since the end of the last part of the run.
  double seconds_of_part();
  std::string remaining(const Result& result);

  const RunOptions& options_;
  std::size_t trials_;
  SaveResult save_;
  Clock& clock_;
  Progress progress_;
  Time begin_;
  Time last_;
  std::optional<TimeLeft> left_;
};

}  // namespace loadline
