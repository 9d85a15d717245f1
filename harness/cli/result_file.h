// Where a result goes.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "synthetic/clock.h"

namespace loadline {

// Whether a path means stdout: "-", and the names that systems give it.
bool names_stdout(const std::string& path);

// Writes the result file again and again while the run goes on, each time whole. What is no regular file (stdout, a
// pipe, /dev/null) is written once, at the end.
class ResultFile {
 public:
  // `path`: "-" or /dev/stdout for stdout. A FIFO needs somebody who reads it; sockets, directories and devices that
  // hold anything are refused. Fails at once, before anything is measured, where nothing could be written at the end.
  explicit ResultFile(const std::string& path);

  bool to_stdout() const { return to_stdout_; }
  const std::string& path() const { return path_; }

  // After a trial: saves unless saving would take more than a twentieth of the run. A disk that is full now leaves the
  // last file that could be written, and may have room again at the end, where finish() says so if it has not.
  void save_in_passing(const Result& result, Clock& clock);

  void finish(const Result& result, const Judgement& judgement) const;
  // The same of a result that is text already.
  void finish(const std::string& text) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void replace(const std::string& text) const;

  std::string path_;
  bool to_stdout_;
  std::unique_ptr<std::FILE, Close> stream_;
  Time next_{};
};

}  // namespace loadline
