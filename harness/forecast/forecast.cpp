#include "harness/forecast/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "harness/judge/phrase.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

constexpr std::size_t kMostNodes = 1'000'000;
constexpr double kLeastOfLimit = 1;  // bytes or requests per second
constexpr double kMostOfLimit = 1e18;
constexpr double kMostLatency = 3600;  // seconds
constexpr double kLeastLatency = 1e-9;
constexpr double kExactness = 1e-6;           // of a value that is found, as a share of it
constexpr double kSimulatedExactness = 0.01;  // the same where each value takes a simulation
constexpr double kSaturated = 0.99;           // share of what a storage gives from which on it is saturated
constexpr double kTieFactor = 1.005;          // up to it a rate is as high as another one

constexpr std::array kForecastFinds{
    ForecastFind{"nodes", "nodes", false, true}, ForecastFind{"bandwidth", "bytes/s", true, false},
    ForecastFind{"client-bandwidth", "bytes/s", true, false}, ForecastFind{"iops", "requests/s", true, false},
    ForecastFind{"latency", "seconds", true, true}};

double utilisation_at(const Basis& basis, const System& system, std::size_t ranks, std::size_t epochs) {
  const double missed = missed_share(basis, system, ranks, epochs);
  return rank_rates(basis, system, ranks, missed, Scenario::kLikely).samples_per_second / basis.step_per_second.value;
}

System with_limit(const System& system, std::string_view kind, double value) {
  System changed = system;
  SharedStorage& storage = changed.storage;
  if (kind == "bandwidth") storage.bytes_per_second = value;
  if (kind == "client-bandwidth") storage.client_bytes_per_second = value;
  if (kind == "iops") storage.iops = value;
  if (kind == "latency") storage.latency = value;
  return changed;
}

// Bisects, on a logarithmic scale, between `good`, where keeps() is true, and `bad`, where it is false. Returns a value
// where it is true, within a factor of e^exactness of one where it is not.
double bisect(double good, double bad, double exactness, const std::function<bool(double)>& keeps) {
  while (std::abs(std::log(good / bad)) > exactness) {
    const double middle = std::sqrt(good * bad);
    (keeps(middle) ? good : bad) = middle;
  }
  return good;
}

ForecastFound find_nodes(const Basis& basis, const ForecastRequest& request) {
  ForecastFound found{.kind = "nodes", .utilisation = request.utilisation};
  const auto keeps = [&](std::size_t nodes) {
    return utilisation_at(basis, request.system, nodes * request.system.ranks_of_node, request.epochs) >=
           request.utilisation;
  };
  if (!keeps(1)) return found;
  std::size_t good = 1;
  std::size_t bad = kMostNodes + 1;
  found.unlimited = keeps(kMostNodes);
  if (found.unlimited) good = kMostNodes;
  while (!found.unlimited && bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (keeps(middle) ? good : bad) = middle;
  }
  found.value = static_cast<double>(good);
  return found;
}

// The range of what is searched for: where the utilisation is easiest to keep, and hardest.
struct Ends {
  double easy;
  double hard;
};

Ends ends_of(const ForecastFind& kind) {
  if (!kind.of_storage) return {1, static_cast<double>(kMostNodes)};
  return kind.largest ? Ends{kLeastLatency, kMostLatency} : Ends{kMostOfLimit, kLeastOfLimit};
}

// The hardest value that keeps it. Each try takes long, so it goes from `guess` in factors of two until the answer
// changes, and then searches between the last two. nullopt: not even the easy end keeps it.
std::optional<double> look_around(double guess, const Ends& ends, const std::function<bool(double)>& keeps) {
  const double harder = ends.hard > ends.easy ? 2 : 0.5;
  const auto within = [&](double value) {
    return std::clamp(value, std::min(ends.easy, ends.hard), std::max(ends.easy, ends.hard));
  };
  double good = within(guess);
  double bad = good;
  const bool from_good = keeps(good);
  for (bool turned = false; !turned;) {
    if (from_good) {
      if (good == ends.hard) return good;
      bad = within(good * harder);
      turned = !keeps(bad);
      if (!turned) good = bad;
    } else {
      if (bad == ends.easy) return std::nullopt;
      good = within(bad / harder);
      turned = keeps(good);
      if (!turned) bad = good;
    }
  }
  return bisect(good, bad, kSimulatedExactness, keeps);
}

ForecastFound find_limit(const Basis& basis, const ForecastRequest& request, const ForecastFind& kind) {
  ForecastFound found{
      .kind = std::string(kind.name), .utilisation = request.utilisation, .ranks = std::ranges::max(request.ranks)};
  const auto keeps = [&](double value) {
    return utilisation_at(basis, with_limit(request.system, kind.name, value), found.ranks, request.epochs) >=
           request.utilisation;
  };
  const auto [easy, hard] = ends_of(kind);
  if (!keeps(easy)) return found;
  found.value = keeps(hard) ? hard : bisect(easy, hard, kExactness, keeps);
  return found;
}

SimulatedForecast simulate_forecast(Simulator& simulator, const Forecast& closed, const ForecastRequest& request) {
  SimulatedForecast simulated;
  for (const std::size_t ranks : request.ranks) {
    simulated.points.push_back(
        simulated_point(simulator, closed.basis, request.system, ranks, request.epochs, request.seeds));
  }
  simulated.saturating_ranks = saturating_by_simulation(simulator, closed.basis, request, closed.saturating_ranks);
  if (closed.found) simulated.found = find_by_simulation(simulator, closed.basis, request, *closed.found);
  return simulated;
}

void check(const std::string& source, const Basis& basis, const ForecastRequest& request) {
  const SharedStorage& storage = request.system.storage;
  const bool of_bytes = storage.bytes_per_second > 0 || storage.client_bytes_per_second > 0 ||
                        request.find == "bandwidth" || request.find == "client-bandwidth" ||
                        request.system.node_memory > 0;
  if (of_bytes && basis.bytes_per_sample <= 0) {
    throw usage_error(
        fmt::format("forecast: {} does not say how many bytes a sample has; give --sample-bytes", source));
  }
  if (request.system.staging != Staging::kNone && basis.dataset_bytes <= 0) {
    throw usage_error(
        fmt::format("forecast: {} does not say how many bytes the dataset has, which --staging copies", source));
  }
}

struct Banded {
  double value;
  double low;
  double high;
};

Banded rate_of(const Forecast& forecast, std::size_t point) {
  const auto banded = [](const auto& one) {
    return Banded{one.samples_per_second, one.low_per_second, one.high_per_second};
  };
  return forecast.simulated ? banded(forecast.simulated->points[point]) : banded(forecast.points[point]);
}

Lead lead_at(std::span<const Forecast> forecasts, std::size_t point) {
  const auto rate = [&](std::size_t which) { return rate_of(forecasts[which], point).value; };
  std::size_t best = 0;
  for (std::size_t one = 1; one < forecasts.size(); ++one) {
    if (rate(one) > rate(best)) best = one;
  }
  const std::size_t ranks = forecasts.front().points[point].ranks;
  Lead lead{.first_ranks = ranks, .last_ranks = ranks, .forecast = best, .clear = true};
  double second = 0;
  for (std::size_t one = 0; one < forecasts.size(); ++one) {
    if (rate(best) <= kTieFactor * rate(one)) lead.equal.push_back(one);
    if (one == best) continue;
    second = std::max(second, rate(one));
    lead.clear = lead.clear && rate_of(forecasts[best], point).low > rate_of(forecasts[one], point).high;
  }
  if (lead.equal.size() == 1) lead.equal.clear();
  lead.least_factor = rate(best) / second;
  lead.most_factor = lead.least_factor;
  return lead;
}

}  // namespace

std::span<const ForecastFind> forecast_finds() {
  return kForecastFinds;
}

ForecastFound find_in_forecast(const Basis& basis, const ForecastRequest& request) {
  const ForecastFind& kind = row_named(kForecastFinds, "--find", request.find);
  return kind.of_storage ? find_limit(basis, request, kind) : find_nodes(basis, request);
}

ForecastFound find_by_simulation(Simulator& simulator, const Basis& basis, const ForecastRequest& request,
                                 const ForecastFound& closed) {
  const ForecastFind& kind = row_named(kForecastFinds, "--find", request.find);
  ForecastFound found = closed;
  const auto keeps = [&](double value) {
    const System system = kind.of_storage ? with_limit(request.system, kind.name, value) : request.system;
    const std::size_t ranks =
        kind.of_storage ? closed.ranks : static_cast<std::size_t>(std::round(value)) * system.ranks_of_node;
    return simulated_point(simulator, basis, system, ranks, request.epochs, request.seeds).utilisation >=
           request.utilisation;
  };
  const Ends ends = ends_of(kind);
  found.value = look_around(closed.value.value_or(ends.easy), ends, keeps);
  if (!kind.of_storage && found.value) found.value = std::round(*found.value);
  found.unlimited = !kind.of_storage && found.value == ends.hard;
  return found;
}

std::optional<std::size_t> saturating_by_simulation(Simulator& simulator, const Basis& basis,
                                                    const ForecastRequest& request, std::optional<std::size_t> closed) {
  if (!closed) return std::nullopt;
  System system = request.system;
  system.node_memory = 0;
  const double total = storage_per_second(basis, system.storage, 1);
  const auto idles = [&](double ranks) {
    const auto whole = static_cast<std::size_t>(std::round(ranks));
    return simulated_point(simulator, basis, system, whole, 1, request.seeds).samples_per_second < kSaturated * total;
  };
  constexpr double kMostRanks = 1e7;
  const auto last_idle = look_around(static_cast<double>(*closed), {1, kMostRanks}, idles);
  if (last_idle == kMostRanks) return std::nullopt;
  return last_idle ? static_cast<std::size_t>(std::round(*last_idle)) + 1 : 1;
}

Forecast make_forecast(const std::string& source, const Basis& basis, const ForecastRequest& request,
                       Simulator* simulator) {
  check(source, basis, request);
  Forecast forecast{.source = source, .basis = basis};
  for (const std::size_t ranks : request.ranks) {
    forecast.points.push_back(forecast_point(basis, request.system, ranks, request.epochs));
  }
  forecast.saturating_ranks = saturating_ranks(basis, request.system);
  if (!request.find.empty()) forecast.found = find_in_forecast(basis, request);
  if (request.seeds > 0) forecast.simulated = simulate_forecast(*simulator, forecast, request);
  return forecast;
}

std::vector<Lead> leads_of(std::span<const Forecast> forecasts) {
  std::vector<Lead> leads;
  if (forecasts.size() < 2) return leads;
  for (std::size_t i = 0; i < forecasts.front().points.size(); ++i) {
    const Lead here = lead_at(forecasts, i);
    const bool goes_on = !leads.empty() && leads.back().clear == here.clear && leads.back().equal == here.equal &&
                         (leads.back().forecast == here.forecast || !here.equal.empty());
    if (goes_on) {
      leads.back().last_ranks = here.last_ranks;
      leads.back().least_factor = std::min(leads.back().least_factor, here.least_factor);
      leads.back().most_factor = std::max(leads.back().most_factor, here.most_factor);
    } else {
      leads.push_back(here);
    }
  }
  return leads;
}

std::vector<std::string> left_out(const Basis& basis, const System& system, bool simulated) {
  std::vector<std::string> sentences;
  const SharedStorage& storage = system.storage;
  if (!storage.limited()) {
    sentences.emplace_back(basis.cold_seconds_per_sample
                               ? "No --storage is given: on each node, samples that no page cache holds cost what they "
                                 "cost in one rank's first epoch."
                               : "No --storage is given: storage is as fast for all ranks as it was for one.");
  } else if (!storage.latency && !basis.from_storage && !basis.reads_unseen) {
    sentences.emplace_back(
        "The files were in the page cache when this was measured, and --storage gives no latency: requests take no "
        "time beyond that of their bytes.");
  } else if (storage.latency && basis.from_storage && basis.read_seconds_per_sample > 0) {
    sentences.push_back(fmt::format("The latency in --storage replaces the measured reading time, {} per sample.",
                                    duration(basis.read_seconds_per_sample)));
  }
  if (storage.limited() && system.node_memory <= 0 && system.staging == Staging::kNone) {
    sentences.emplace_back("No --node-memory is given: each sample is read from storage in each epoch.");
  }
  if (system.node_cpus == 0 && system.ranks_of_node > 1) {
    sentences.emplace_back("No --node-cpus is given: each rank has as many CPUs as it was measured on.");
  }
  if (system.together && basis.gradient_bytes <= 0) {
    sentences.emplace_back("No gradients are known: the steps of ranks end together, and summing up takes no time.");
  }
  if (simulated && basis.step_variation <= 0) {
    sentences.emplace_back("No variation of steps is known: all ranks are simulated as equally fast.");
  }
  sentences.emplace_back(
      "Left out: other jobs on the storage and the network, opening and listing files on a metadata server, "
      "checkpoints and validation, caches of the storage, slow nodes that were not among the trials.");
  return sentences;
}

}  // namespace loadline
