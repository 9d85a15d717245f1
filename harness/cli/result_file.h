// Where a result goes.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "harness/cli/output.h"
#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "loaders/storage/file_lock.h"
#include "synthetic/clock.h"

namespace loadline {

// Whether a path means stdout: "-", and the names that systems give it.
bool names_stdout(const std::string& path);

// Writes the result file again and again while the run goes on, each time whole, and holds its lock meanwhile. What is
// no regular file (stdout, a pipe, /dev/null) is written once, at the end.
class ResultFile {
 public:
  // `path`: "-" or /dev/stdout for stdout. A FIFO needs somebody who reads it; sockets, directories and devices that
  // hold anything are refused. Fails at once, before anything is measured, where nothing could be written at the end,
  // where something is in the way (output.h) and where another process writes the same file.
  explicit ResultFile(const std::string& path, const OutputRules& rules = {});

  bool to_stdout() const { return to_stdout_; }
  const std::string& path() const { return path_; }

  // Whether save_in_passing() would save now.
  bool is_due(const Clock& clock) const { return !to_stdout_ && !stream_ && clock.now() >= next_; }
  // After a trial: saves unless saving would take more than a twentieth of the run. Where it fails, such as on a disk
  // that is full now, the last file that could be written stays. Returns what to tell of it: a sentence when saving
  // fails first, and when it succeeds after that. It is tried again, here and by finish(), which throws.
  std::optional<std::string> save_in_passing(const Result& result, Clock& clock);

  // Throws Error saying what stays in the file.
  void finish(const Result& result, const Judgement& judgement) const;
  // The same of a result that is text already.
  void finish(const std::string& text) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void replace(const std::string& text) const;
  std::string what_is_saved() const;

  std::string path_;
  bool to_stdout_;
  std::unique_ptr<FileLock> lock_;
  std::unique_ptr<std::FILE, Close> stream_;
  Time next_{};
  bool was_there_ = false;                   // before this one was made
  bool fails_ = false;                       // when it was last saved
  std::optional<std::size_t> saved_trials_;  // nullopt: nothing was saved yet
};

}  // namespace loadline
