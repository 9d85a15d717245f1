// When a simulated storage answers. The clock is a parameter: seconds since any moment.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "harness/forecast/system.h"

namespace loadline {

// Storage with the limits that `loadline forecast --storage` takes. Requests are served in order of arrival. Each
// occupies the storage for its bytes or for one of the operations per second, whichever takes longer, and its client
// likewise; the answer comes one latency after both are done. Latencies of several requests overlap. Safe to call
// concurrently.
class SlowStorage {
 public:
  explicit SlowStorage(SharedStorage limits) : limits_(limits) {}

  // When a request that arrives at `now_seconds` is answered. `client` is any number that tells clients apart.
  double answers_at(double now_seconds, std::size_t client, std::size_t bytes);

 private:
  SharedStorage limits_;
  std::mutex mutex_;
  double free_at_ = 0;
  std::map<std::size_t, double> client_free_at_;
};

}  // namespace loadline
