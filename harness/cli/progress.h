// Progress on stderr.
#pragma once

#include <cstddef>
#include <string>

namespace loadline {

// A terminal shows one line that is overwritten; elsewhere each milestone is a line, with nothing in between.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();

  // A line that stays on the screen.
  void milestone(const std::string& line);
  // Current progress, shown only on a terminal and cut to one line. `tail` is never cut.
  void status(const std::string& line, const std::string& tail = "");

  // Removes the status from the screen.
  void clear();
  bool is_terminal() const { return terminal_; }

 private:
  bool quiet_;
  bool terminal_;
  bool dirty_ = false;
};

}  // namespace loadline
