#include "bench/truth/slow_storage.h"

#include <algorithm>

namespace loadline {
namespace {

double service_seconds(double bytes_per_second, double iops, std::size_t bytes) {
  const double of_bytes = bytes_per_second > 0 ? static_cast<double>(bytes) / bytes_per_second : 0;
  const double of_operation = iops > 0 ? 1 / iops : 0;
  return std::max(of_bytes, of_operation);
}

// When this request is done, by a server in order of arrival.
double serve(double& free_at, double now_seconds, double seconds) {
  free_at = std::max(free_at, now_seconds) + seconds;
  return free_at;
}

}  // namespace

double SlowStorage::answers_at(double now_seconds, std::size_t client, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const double shared = serve(free_at_, now_seconds, service_seconds(limits_.bytes_per_second, limits_.iops, bytes));
  const double own = serve(client_free_at_[client], now_seconds,
                           service_seconds(limits_.client_bytes_per_second, limits_.client_iops, bytes));
  return std::max(shared, own) + limits_.latency.value_or(0);
}

}  // namespace loadline
