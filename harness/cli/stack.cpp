#include "harness/cli/stack.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kUsual = std::size_t{8} << 20;
// The tests of this limit pass with these sizes: the main thread reads the command line and judges, others only load.
constexpr std::size_t kLeast = std::size_t{512} << 10;

// The C library took the limit for its threads' stacks when the process began.
void give_threads_enough() {
  pthread_attr_t attributes;
  if (::pthread_getattr_default_np(&attributes) != 0) return;
  std::size_t bytes = 0;
  if (::pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes < kUsual) {
    ::pthread_attr_setstacksize(&attributes, kUsual);
    ::pthread_setattr_default_np(&attributes);
  }
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

void secure_stack() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kUsual) return;
  // The main thread's stack grows until the limit of that moment.
  rlimit raised = limit;
  raised.rlim_cur = std::min<rlim_t>(limit.rlim_max, kUsual);
  if (::setrlimit(RLIMIT_STACK, &raised) == 0) limit = raised;
  if (limit.rlim_cur < kLeast) {
    throw Error(fmt::format("the stack limit is {} KiB (RLIMIT_STACK), want at least {} KiB; raise it with `ulimit -s`",
                            limit.rlim_cur >> 10U, kLeast >> 10U));
  }
  give_threads_enough();
}

}  // namespace loadline
