#include "harness/cli/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>

#include "loaders/error.h"

namespace loadline {
namespace {

bool is_open_for_writing(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

int write_to_stdout_failed = 0;            // errno of the first write that failed; 0: none did
bool outcome_goes_only_to_stdout = false;  // since check_stdout()

void note_failure(std::FILE* stream) {
  if (stream == stdout && write_to_stdout_failed == 0) write_to_stdout_failed = errno;
}

}  // namespace

void secure_streams() {
  outcome_goes_only_to_stdout = false;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free descriptor is the one that is closed.
    if (::fcntl(descriptor, F_GETFD) < 0) [[maybe_unused]]
      const int opened = ::open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
  // OpenCV prints there what is wrong with an image; we report that as an Error.
  std::cerr.setstate(std::ios_base::badbit);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Ignored by a parent that wants to know nothing of its children, it would hide from us how ours end.
  std::signal(SIGCHLD, SIG_DFL);
}

void put(std::FILE* stream, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) < text.size()) note_failure(stream);
}

void flush(std::FILE* stream) {
  if (std::fflush(stream) != 0) note_failure(stream);
}

void check_stdout() {
  outcome_goes_only_to_stdout = true;
  if (!is_open_for_writing(STDOUT_FILENO)) throw Error("cannot write to stdout: it is closed");
}

bool flush_stdout() {
  if (!is_open_for_writing(STDOUT_FILENO)) return true;
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  const int reason = errno != 0 ? errno : write_to_stdout_failed;
  if (reason == EPIPE) return !outcome_goes_only_to_stdout;
  throw Error(reason == 0 ? "cannot write to stdout"
                          : fmt::format("cannot write to stdout: {}", std::strerror(reason)));
}

}  // namespace loadline
