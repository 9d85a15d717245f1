// Splits work among several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace loadline {

// Calls work(worker, i) once for each i below `count`, on at most `threads` threads, this one included; on fewer if the
// system starts no more. Threads take the numbers in ascending order, each the next one when it has finished its last.
// `worker` is the number of the thread, and 0 for this one. It is below `count`, and below `threads` unless that is 0,
// which means 1. No two calls with the same `worker` run at once, so each can have a reader or buffer of its own.
// Returns when all threads have ended. After a failure no further numbers are taken, but those already taken, and so
// all lower ones, are finished. Then the failure with the lowest i is rethrown: the same one whatever the timing, if
// `work` depends only on i.
void in_parallel(std::size_t count, std::size_t threads,
                 const std::function<void(std::size_t worker, std::size_t i)>& work);

}  // namespace loadline
