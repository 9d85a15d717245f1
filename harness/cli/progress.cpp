#include "harness/cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "harness/cli/streams.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

constexpr const char* kClearLine = "\r\033[K";

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  clear();
}

void Progress::milestone(const std::string& line) {
  if (quiet_) return;
  clear();
  put(stderr, printable_lines(line) + '\n');
}

void Progress::status(const std::string& line) {
  if (quiet_ || !terminal_) return;
  put(stderr, kClearLine + printable(line));
  std::fflush(stderr);
  dirty_ = true;
}

void Progress::clear() {
  if (dirty_) put(stderr, kClearLine);
  dirty_ = false;
}

}  // namespace loadline
