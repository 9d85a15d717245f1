#include "harness/forecast/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

constexpr std::size_t kMostNodes = 1'000'000;
constexpr double kLeastOfLimit = 1;  // bytes or requests per second
constexpr double kMostOfLimit = 1e18;
constexpr double kMostLatency = 3600;  // seconds
constexpr double kLeastLatency = 1e-9;
constexpr double kExactness = 1e-4;  // of a value that is found, as a share of it

constexpr std::array kForecastFinds{
    ForecastFind{"nodes", "nodes", false, true}, ForecastFind{"bandwidth", "bytes/s", true, false},
    ForecastFind{"client-bandwidth", "bytes/s", true, false}, ForecastFind{"iops", "requests/s", true, false},
    ForecastFind{"latency", "seconds", true, true}};

double utilisation_at(const Basis& basis, const System& system, std::size_t ranks, std::size_t epochs) {
  const double missed = missed_share(basis, system, ranks, epochs);
  return rank_rates(basis, system, ranks, missed, Outlook::kLikely).samples_per_second / basis.step_per_second.value;
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

// The end of [low, high] next to the other side, where keeps(good) and not keeps(bad); on a logarithmic scale.
double bisect(double good, double bad, const std::function<bool(double)>& keeps) {
  while (std::abs(std::log(good / bad)) > kExactness) {
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

ForecastFound find_limit(const Basis& basis, const ForecastRequest& request, const ForecastFind& kind) {
  ForecastFound found{
      .kind = std::string(kind.name), .utilisation = request.utilisation, .ranks = std::ranges::max(request.ranks)};
  const auto keeps = [&](double value) {
    return utilisation_at(basis, with_limit(request.system, kind.name, value), found.ranks, request.epochs) >=
           request.utilisation;
  };
  const double easy = kind.largest ? kLeastLatency : kMostOfLimit;
  const double hard = kind.largest ? kMostLatency : kLeastOfLimit;
  if (!keeps(easy)) return found;
  found.value = keeps(hard) ? hard : bisect(easy, hard, keeps);
  return found;
}

void check(const std::string& source, const Basis& basis, const ForecastRequest& request) {
  const SharedStorage& storage = request.system.storage;
  const bool of_bytes = storage.bytes_per_second > 0 || storage.client_bytes_per_second > 0 ||
                        request.find == "bandwidth" || request.find == "client-bandwidth" ||
                        request.system.node_memory > 0;
  if (of_bytes && basis.bytes_per_sample <= 0) {
    throw usage_error(
        fmt::format("forecast: how many bytes a sample has is not known of {}, say so by --sample-bytes", source));
  }
  if (request.system.staging != Staging::kNone && basis.dataset_bytes <= 0) {
    throw usage_error(
        fmt::format("forecast: how many bytes the dataset has is not known of {}, which --staging copies", source));
  }
}

}  // namespace

std::span<const ForecastFind> forecast_finds() {
  return kForecastFinds;
}

ForecastFound find_in_forecast(const Basis& basis, const ForecastRequest& request) {
  const ForecastFind& kind = row_named(kForecastFinds, "--find", request.find);
  return kind.of_storage ? find_limit(basis, request, kind) : find_nodes(basis, request);
}

Forecast make_forecast(const std::string& source, const Basis& basis, const ForecastRequest& request) {
  check(source, basis, request);
  Forecast forecast{.source = source, .basis = basis};
  for (const std::size_t ranks : request.ranks) {
    forecast.points.push_back(forecast_point(basis, request.system, ranks, request.epochs));
  }
  forecast.saturating_ranks = saturating_ranks(basis, request.system);
  if (!request.find.empty()) forecast.found = find_in_forecast(basis, request);
  return forecast;
}

std::vector<Lead> leads_of(std::span<const Forecast> forecasts) {
  std::vector<Lead> leads;
  if (forecasts.size() < 2) return leads;
  for (std::size_t i = 0; i < forecasts.front().points.size(); ++i) {
    const auto rate = [&](std::size_t which) { return forecasts[which].points[i].samples_per_second; };
    std::size_t best = 0;
    for (std::size_t one = 1; one < forecasts.size(); ++one) {
      if (rate(one) > rate(best)) best = one;
    }
    double second = 0;
    bool clear = true;
    for (std::size_t one = 0; one < forecasts.size(); ++one) {
      if (one == best) continue;
      second = std::max(second, rate(one));
      clear = clear && forecasts[best].points[i].low_per_second > forecasts[one].points[i].high_per_second;
    }
    const double factor = rate(best) / second;
    const std::size_t ranks = forecasts.front().points[i].ranks;
    if (!leads.empty() && leads.back().forecast == best && leads.back().clear == clear) {
      leads.back().last_ranks = ranks;
      leads.back().least_factor = std::min(leads.back().least_factor, factor);
      leads.back().most_factor = std::max(leads.back().most_factor, factor);
    } else {
      leads.push_back({ranks, ranks, best, clear, factor, factor});
    }
  }
  return leads;
}

std::vector<std::string> left_out(const Basis& basis, const System& system) {
  std::vector<std::string> sentences;
  const SharedStorage& storage = system.storage;
  if (!storage.limited()) {
    sentences.emplace_back(basis.cold_seconds_per_sample
                               ? "No --storage is given: samples that no page cache holds cost what the first epoch of "
                                 "one rank says, on each node."
                               : "No --storage is given: storage is as fast for all ranks as it was for one.");
  } else if (!storage.latency && !basis.from_storage) {
    sentences.emplace_back(
        "The files were in the page cache when this was measured, and --storage gives no latency: requests take no "
        "time besides their bytes.");
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
  sentences.emplace_back(
      "Left out: other jobs on the storage and the network, opening and listing files on a metadata server, "
      "checkpoints and validation, caches of the storage, slow nodes that were not among the trials.");
  return sentences;
}

}  // namespace loadline
