// Calls into the user's Python that may never return.
#pragma once

#include <pthread.h>

#include <optional>
#include <stop_token>
#include <string_view>

#include "loaders/foreign_call.h"

namespace loadline {

// Guards such a call on this thread (foreign_call.h). If the thread is watched and told to stop, it interrupts the
// call like Ctrl-C. Make and destroy it with the GIL.
class PythonCall {
 public:
  // For messages, `owner` such as "loader train.py:make_loader" and its `call`, such as "make_loader()".
  PythonCall(std::string_view owner, std::string_view call);
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;
  ~PythonCall();

 private:
  struct Interruption {
    pthread_t thread;
    void operator()() const;
  };

  ForeignCall call_;
  std::optional<std::stop_callback<Interruption>> interruption_;
};

// Raises KeyboardInterrupt in the main thread, and wakes `thread`, which is that one, from a system call. Any thread.
void interrupt_python(pthread_t thread);

// Whether this thread is watched and was told to stop.
bool told_to_stop();

}  // namespace loadline
