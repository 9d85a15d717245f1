#include "harness/ranks/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/machine/kernel_text.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

constexpr std::size_t kMostListed = 8;

std::vector<std::size_t> share_of(const std::vector<std::size_t>& cpus, std::size_t index, std::size_t count) {
  if (cpus.size() < count) return {cpus[index % cpus.size()]};
  const auto at = [&](std::size_t i) { return cpus.begin() + static_cast<std::ptrdiff_t>(i * cpus.size() / count); };
  return {at(index), at(index + 1)};
}

// "0 on CPU 0, 1 on CPU 1", or for many "each on 4 CPUs".
std::string cpus_text(const RunRanks& ranks, const std::vector<std::size_t>& here) {
  if (here.size() > kMostListed) {
    const auto [fewest, most] =
        std::ranges::minmax(here, {}, [&](std::size_t rank) { return ranks.places[rank].cpus.size(); });
    const std::size_t from = ranks.places[fewest].cpus.size();
    const std::size_t to = ranks.places[most].cpus.size();
    return from == to ? fmt::format("each on {} CPUs", from) : fmt::format("each on {} to {} CPUs", from, to);
  }
  std::vector<std::string> texts;
  for (const std::size_t rank : here) {
    const auto& cpus = ranks.places[rank].cpus;
    texts.push_back(fmt::format("{} on CPU{} {}", rank, cpus.size() == 1 ? "" : "s", format_cpu_list(cpus)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Whether two ranks of the host may run on the same CPU.
bool share_cpus(const RunRanks& ranks, const std::vector<std::size_t>& here) {
  std::vector<std::size_t> all;
  for (const std::size_t rank : here) {
    all.insert(all.end(), ranks.places[rank].cpus.begin(), ranks.places[rank].cpus.end());
  }
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) != all.end();
}

}  // namespace

std::vector<RankPlace> deal_cpus(std::vector<RankPlace> places) {
  std::map<std::pair<std::string, std::vector<std::size_t>>, std::vector<std::size_t>> alike;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    if (!places[rank].cpus.empty()) alike[{places[rank].host, places[rank].cpus}].push_back(rank);
  }
  for (const auto& [given, ranks] : alike) {
    // A single CPU for all: they were bound to it, or there is no other.
    if (ranks.size() < 2 || given.second.size() < 2) continue;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      places[ranks[i]].cpus = share_of(given.second, i, ranks.size());
      places[ranks[i]].dealt = true;
    }
  }
  return places;
}

std::size_t ranks_beside(const std::vector<RankPlace>& places, std::size_t rank) {
  return static_cast<std::size_t>(std::ranges::count(places, places[rank].host, &RankPlace::host));
}

std::string places_text(const RunRanks& ranks) {
  std::map<std::string, std::vector<std::size_t>> by_host;
  for (std::size_t rank = 0; rank < ranks.places.size(); ++rank) by_host[ranks.places[rank].host].push_back(rank);
  std::string text;
  for (const auto& [host, here] : by_host) {
    const bool dealt = std::ranges::any_of(here, [&](std::size_t rank) { return ranks.places[rank].dealt; });
    text += fmt::format("{} rank{} on {}: {}{}{}\n", here.size(), here.size() == 1 ? "" : "s", printable(host),
                        cpus_text(ranks, here), dealt ? " (dealt out: all were given the same)" : "",
                        share_cpus(ranks, here) ? "; they share CPUs" : "");
  }
  return text;
}

}  // namespace loadline
