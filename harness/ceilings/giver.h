// Threads of a ceiling that give batches to the thread that takes them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <thread>

namespace loadline {

// Starts a thread that runs `give`. It runs on these CPUs; if they are no longer in force, as they were when the cell
// was planned, or if there are none, wherever its starter may. Throws Error if a thread is refused.
std::jthread start_giver(std::span<const std::size_t> cpus, std::function<void(const std::stop_token& done)> give);

// Asks again and again, because falling asleep and waking cost more than a small batch; after a while it lets others
// run in between.
template <typename Done>
void spin_until(const Done& done) {
  constexpr int kPatient = 1000;
  for (int i = 0; !done(); ++i) {
    if (i >= kPatient) std::this_thread::yield();
  }
}

}  // namespace loadline
