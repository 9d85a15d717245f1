// The file that a result goes to.
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

// Where files of this process keep trials already, for the last sentence of a process that cannot go on: "; what was
// measured before is in FILE", or empty. Lives for ever. A signal handler may call it.
const char* saved_words();

// Whether results made from now on are temporary: they are deleted with the process, and no message names them; a
// program that calls the tool may read them before. Not while a run is in progress.
void set_results_temporary(bool temporary);

// Whether a path means stdout: "-" or a system's name for it.
bool names_stdout(const std::string& path);

// Rewrites the result file while the run goes on, each time completely, and holds its lock meanwhile. Anything but a
// regular file (stdout, a pipe, /dev/null) is written once, at the end.
class ResultFile {
 public:
  // `path`: "-" or /dev/stdout for stdout. A FIFO needs a reader. Sockets, directories and devices other than a
  // terminal, /dev/null and /dev/full are refused. Throws Error at once, before anything is measured, if the result
  // could not be written at the end, if an existing file must not be replaced (output.h) or if another process writes
  // the same file.
  explicit ResultFile(const std::string& path, const OutputRules& rules = {});

  bool to_stdout() const { return to_stdout_; }
  // Not so if it is written to a device or a pipe, or if it is temporary.
  bool can_be_read_again() const { return !to_stdout_ && !stream_ && !temporary_; }
  const std::string& path() const { return path_; }

  // Whether save_in_passing() would save now.
  bool is_due(const Clock& clock) const { return can_be_read_again() && clock.now() >= next_; }
  // Call after a trial: saves unless saving would take more than a twentieth of the run. If saving fails, such as on
  // a full disk, the last complete file stays; later calls try again, and so does finish(), which throws. Returns a
  // sentence to report when saving fails for the first time and when it works again.
  std::optional<std::string> save_in_passing(const Result& result, Clock& clock);

  // Writes the final result. Throws Error saying what stays in the file.
  void finish(const Result& result, const Judgement& judgement) const;
  // The same for a result that is already text.
  void finish(const std::string& text) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void replace(const std::string& text) const;
  std::string what_is_saved() const;

  std::string path_;
  bool to_stdout_;
  bool temporary_;
  std::unique_ptr<FileLock> lock_;
  std::unique_ptr<std::FILE, Close> stream_;
  Time next_{};
  bool was_there_ = false;                   // existed before this object
  bool fails_ = false;                       // at the last attempt
  std::optional<std::size_t> saved_trials_;  // nullopt: nothing saved yet
};

}  // namespace loadline
