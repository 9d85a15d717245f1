#include "harness/plan/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "loaders/names.h"

namespace loadline {
namespace {

constexpr std::string_view kPin = "pin:";

[[noreturn]] void refuse_list(std::string_view placement) {
  throw usage_error(
      fmt::format("--placement {}: want CPUs or ranges in ascending order, such as pin:0-3,8", placement));
}

// Removes the number that `text` begins with, and returns it.
std::size_t take_number(std::string_view& text, std::string_view placement) {
  std::size_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{}) refuse_list(placement);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::vector<std::size_t> listed_cpus(std::string_view placement, const std::vector<std::size_t>& allowed) {
  std::vector<std::size_t> cpus;
  for (std::string_view rest = placement.substr(kPin.size());;) {
    const std::size_t first = take_number(rest, placement);
    std::size_t last = first;
    if (rest.starts_with('-')) {
      rest.remove_prefix(1);
      last = take_number(rest, placement);
    }
    if (last < first || (!cpus.empty() && first <= cpus.back())) refuse_list(placement);
    for (std::size_t cpu = first; cpu <= last; ++cpu) {
      if (std::ranges::find(allowed, cpu) == allowed.end()) {
        throw usage_error(fmt::format("--placement {}: this process may not run on CPU {}, only on {}", placement, cpu,
                                      fmt::join(allowed, ",")));
      }
      cpus.push_back(cpu);
    }
    if (rest.empty()) return cpus;
    if (!rest.starts_with(',')) refuse_list(placement);
    rest.remove_prefix(1);
  }
}

Threads split_cpus(std::optional<std::size_t> compute_threads, const CpusInForce& cpus) {
  const std::size_t all = std::min(cpus.cpus.size(), cpus.in_force);
  if (all < 2) throw usage_error("--placement split: it needs at least 2 CPUs, but 1 is in force");
  const std::size_t compute = compute_threads.value_or(all / 2);
  check_compute_threads(compute, all - 1, "in force less one for the workers");
  const auto border = cpus.cpus.end() - static_cast<std::ptrdiff_t>(compute);
  return {compute, {"split", {cpus.cpus.begin(), border}, {border, cpus.cpus.end()}}};
}

Threads pin(std::string_view placement, std::optional<std::size_t> compute_threads, const CpusInForce& cpus) {
  Threads threads{.placement = {.name = std::string(placement), .compute_cpus = listed_cpus(placement, cpus.cpus)}};
  const auto& own = threads.placement.compute_cpus;
  std::ranges::set_difference(cpus.cpus, own, std::back_inserter(threads.placement.worker_cpus));
  if (threads.placement.worker_cpus.empty()) {
    throw usage_error(fmt::format("--placement {}: it leaves no CPU for the workers", placement));
  }
  threads.compute = compute_threads.value_or(own.size());
  check_compute_threads(threads.compute, own.size(), "that --placement lists");
  return threads;
}

}  // namespace

void check_compute_threads(std::size_t threads, std::size_t most, std::string_view where) {
  if (threads <= most) return;
  throw usage_error(fmt::format("--compute-threads {}: want at most {}, the CPUs {}", threads, most, where));
}

Threads place_threads(std::string_view placement, std::optional<std::size_t> compute_threads, const CpusInForce& cpus) {
  if (placement.starts_with(kPin)) return pin(placement, compute_threads, cpus);
  if (placement == "split") return split_cpus(compute_threads, cpus);
  if (placement == "numa" || placement == Placement::kNumaReplicate) {
    return place_on_nodes(placement, compute_threads, cpus);
  }
  if (placement != "shared") {
    static constexpr std::string_view kNames[] = {"shared", "split", "numa", "numa:replicate", "pin:LIST"};
    throw unknown_name("--placement", placement, kNames);
  }
  const std::size_t threads = compute_threads.value_or(cpus.in_force);
  check_compute_threads(threads, cpus.in_force, "in force");
  return {threads, {}};
}

}  // namespace loadline
