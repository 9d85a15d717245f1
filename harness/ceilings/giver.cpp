#include "harness/ceilings/giver.h"

#include <fmt/format.h>

#include <exception>
#include <system_error>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

void pin_if_allowed(std::span<const std::size_t> cpus) {
  if (cpus.empty()) return;
  try {
    keep_this_thread_on(cpus);
  } catch (const std::exception&) {
  }
}

}  // namespace

std::jthread start_giver(std::span<const std::size_t> cpus, std::function<void(const std::stop_token& done)> give) {
  try {
    return std::jthread(
        [own = std::vector(cpus.begin(), cpus.end()), give = std::move(give)](const std::stop_token& done) {
          pin_if_allowed(own);
          give(done);
        });
  } catch (const std::system_error& error) {
    throw Error(fmt::format("cannot start a thread to hand over batches: {}", error.code().message()));
  }
}

}  // namespace loadline
