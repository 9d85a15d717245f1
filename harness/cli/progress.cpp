#include "harness/cli/progress.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "harness/cli/screen.h"
#include "harness/cli/streams.h"
#include "harness/show/wrap.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

constexpr const char* kClearLine = "\r\033[K";

// Whether the terminal can overwrite a line.
bool can_write_over() {
  const char* const kind = std::getenv("TERM");
  return terminal_columns(stderr).has_value() && (kind == nullptr || std::string_view(kind) != "dumb");
}

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(can_write_over()) {}

Progress::~Progress() {
  clear();
}

void Progress::milestone(const std::string& line) {
  if (quiet_) return;
  clear();
  put_text(stderr, printable_lines(line) + '\n');
}

void Progress::status(const std::string& line, const std::string& tail) {
  if (quiet_ || !terminal_) return;
  // Asked each time because windows change. Text on a second line would stay for good, and on some terminals the last
  // column already wraps.
  const std::size_t columns = terminal_columns(stderr).value_or(1);
  put(stderr, kClearLine + shortened_line(printable(line), printable(tail), columns - 1));
  std::fflush(stderr);
  dirty_ = true;
}

void Progress::clear() {
  if (dirty_) put(stderr, kClearLine);
  dirty_ = false;
}

}  // namespace loadline
