#include "harness/cli/out_of_memory.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

#include "harness/cli/cli.h"
#include "harness/cli/verbs.h"

namespace loadline {
namespace {

// A handler can reach nothing but globals.
std::atomic<bool> memory_ran_out{false};
std::terminate_handler previous_handler = nullptr;

void note_and_throw() {
  memory_ran_out.store(true);
  throw std::bad_alloc();
}

[[noreturn]] void on_terminate() {
  if (memory_ran_out.load()) {
    print_error(kOutOfMemory);
    ::_exit(kExitFailed);
  }
  previous_handler();
  std::abort();
}

}  // namespace

void end_orderly_without_memory() {
  std::set_new_handler(note_and_throw);
  previous_handler = std::set_terminate(on_terminate);
}

}  // namespace loadline
