// What a person sees on stderr while something takes its time.
#pragma once

#include <cstddef>
#include <string>

namespace loadline {

// On a terminal one line that is written over; elsewhere a line for each milestone and nothing in between.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();

  // Something worth a line of its own: stays on the screen.
  void milestone(const std::string& line);
  // Current progress; only a terminal shows it, cut to one line. `tail` is kept whole.
  void status(const std::string& line, const std::string& tail = "");

  // Takes the status off the screen.
  void clear();
  bool is_terminal() const { return terminal_; }

 private:
  bool quiet_;
  bool terminal_;
  bool dirty_ = false;
};

}  // namespace loadline
