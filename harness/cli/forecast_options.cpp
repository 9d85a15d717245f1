#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string>

#include "harness/cli/verb_options.h"
#include "harness/forecast/named_numbers.h"
#include "harness/plan/options.h"
#include "harness/plan/ranges.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

constexpr double kLargestBytes = 1e21;
constexpr std::size_t kStandardSeeds = 5;

void add_text(CLI::App& verb, const std::string& flag, const std::string& type, const std::string& help,
              const std::string& group, const std::function<void(const std::string&)>& take) {
  verb.add_option_function<std::string>(flag, take, help)->type_name(type)->group(group);
}

std::size_t whole_in(const std::string& option, const std::string& text, double most) {
  const double value = read_number(option, text, 1, most);
  if (value != static_cast<double>(static_cast<std::size_t>(value))) {
    throw usage_error(fmt::format("{}: want a whole number, got '{}'", option, text));
  }
  return static_cast<std::size_t>(value);
}

void add_ranks(CLI::App& verb, ForecastRequest& request) {
  const char* const group = "Scale";
  add_text(verb, "--ranks", "N,...", "numbers of processes that train together; 1:10000:*2 is a range [1:1024:*2]",
           group, [&](const std::string& text) {
             request.ranks.clear();
             for (const std::size_t ranks : expand_counts("--ranks", text)) {
               if (std::ranges::find(request.ranks, ranks) == request.ranks.end()) request.ranks.push_back(ranks);
             }
           });
  add_text(verb, "--nodes-of", "N", "ranks per node [1]", group,
           [&](const std::string& text) { request.system.ranks_of_node = whole_in("--nodes-of", text, 1e6); });
  add_text(verb, "--node-cpus", "N", "CPUs that the ranks of a node share [each rank has as many as measured]", group,
           [&](const std::string& text) { request.system.node_cpus = whole_in("--node-cpus", text, 1e6); });
  add_text(verb, "--node-memory", "BYTES",
           "page cache per node, such as 512G; data that was read once stays in it [nothing stays]", group,
           [&](const std::string& text) {
             request.system.node_memory = read_number("--node-memory", text, 0, kLargestBytes);
           });
  add_text(verb, "--epochs", "N", "epochs to show; the curve shows the last one [1]", group,
           [&](const std::string& text) { request.epochs = whole_in("--epochs", text, 1000); });
  verb.add_flag_callback(
          "--apart", [&] { request.system.together = false; },
          "ranks do not wait for each other: no stragglers and no gradients")
      ->group(group);
}

void add_simulation(CLI::App& verb, ForecastRequest& request) {
  const char* const group = "Simulation";
  verb.add_flag_callback(
          "--simulate",
          [&] {
            if (request.seeds == 0) request.seeds = kStandardSeeds;
          },
          "also simulate each point with SimGrid: random paces of ranks, page caches and queues")
      ->group(group);
  add_text(verb, "--seeds", "N", fmt::format("number of simulated seeds, which make the band [{}]", kStandardSeeds),
           group, [&](const std::string& text) { request.seeds = whole_in("--seeds", text, 1000); });
}

void add_system(CLI::App& verb, ForecastRequest& request) {
  const char* const group = "System";
  add_text(verb, "--storage", "NAME=NUMBER,...",
           "shared by all nodes: bytes_per_second, iops, the same per node as client_bytes_per_second and client_iops, "
           "and latency of a request in seconds [no limits, and the measured latency]",
           group, [&](const std::string& text) { request.system.storage = read_storage("--storage", text); });
  add_text(verb, "--network", "NAME=NUMBER,...",
           "between nodes: bytes_per_second of a node's link, latency of a message in seconds, and overlap, the share "
           "of the gradient sums that the step hides [takes no time]",
           group, [&](const std::string& text) {
             const Reduction reduction = request.system.network.reduction;
             request.system.network = read_network("--network", text);
             request.system.network.reduction = reduction;
           });
  add_text(verb, "--all-reduce", "ring|tree|best", "how gradients are summed [best]", group,
           [&](const std::string& text) { request.system.network.reduction = reduction_named("--all-reduce", text); });
  add_text(verb, "--staging", "none|copies|shards",
           "what each node first copies to itself: nothing, all or its shard [none]", group,
           [&](const std::string& text) { request.system.staging = staging_named("--staging", text); });
}

void add_measured(CLI::App& verb, ForecastVerbRequest& request) {
  const char* const group = "What was measured";
  verb.add_option("--cell", request.cell,
                  "the configuration to use if a result has several: its name or a part of it; an exact match wins")
      ->type_name("TEXT")
      ->group(group);
  verb.add_option("--figures", request.figures,
                  "instead of a result, figures printed by another tool, such as "
                  "io=582,synthetic=102.9,full=101.4,batch=32; may be repeated")
      ->type_name("NAME=NUMBER,...")
      ->group(group);
  add_text(
      verb, "--sample-bytes", "BYTES", "stored bytes per sample [as in the result]", group,
      [&](const std::string& text) { request.sample_bytes = read_number("--sample-bytes", text, 0, kLargestBytes); });
  add_text(verb, "--sample-requests", "N", "storage requests per sample [1; for a crop its rows]", group,
           [&](const std::string& text) {
             request.sample_requests = read_number("--sample-requests", text, 0, kLargestBytes);
           });
  add_text(verb, "--gradient-bytes", "BYTES", "bytes of gradients that all ranks sum in each step [as in the result]",
           group, [&](const std::string& text) {
             request.gradient_bytes = read_number("--gradient-bytes", text, 0, kLargestBytes);
           });
}

}  // namespace

void add_forecast(CLI::App& app, Request& all) {
  CLI::App* verb =
      app.add_subcommand("forecast", "Forecast what a measured loader and step would deliver on other systems");
  auto& request = runs<ForecastVerbRequest>(*verb, all, forecast_verb);
  verb->add_option("results", request.results, "result files; with several, shows which one is ahead where")
      ->type_name("RESULT");
  add_measured(*verb, request);
  for (std::size_t ranks = 1; ranks <= 1024; ranks *= 2) {
    if (ranks == 1) request.forecast.ranks.clear();
    request.forecast.ranks.push_back(ranks);
  }
  add_ranks(*verb, request.forecast);
  add_system(*verb, request.forecast);
  add_simulation(*verb, request.forecast);
  verb->add_option("--find", request.forecast.find,
                   "what keeps --au: the most nodes, or the --storage value that the largest of --ranks needs")
      ->type_name(fmt::format("{}", fmt::join(names_of(forecast_finds()), "|")))
      ->group("Search");
  add_text(*verb, "--au", "SHARE", "utilisation that --find keeps [90%]", "Search",
           [&](const std::string& text) { request.forecast.utilisation = parse_share("au", text, 0.01, 1); });
  verb->add_option("--format", request.format, "form of what is written [by the suffix of --output, or text]")
      ->type_name("text|csv|json|html")
      ->group("Output");
  verb->add_option("--output,-o", request.output, "file to write, - for stdout [-]")
      ->type_name("FILE")
      ->group("Output");
  verb->add_flag("--overwrite", request.overwrite, "replace an existing file")->group("Output");
  verb->footer(
      "Numbers may end in k, M, G, T, P or in Ki, Mi, Gi, Ti, Pi.\n"
      "AU is the share of time in which a rank computes. A band goes from the worst to the best that the trials allow, "
      "and in a simulation from the lowest to the highest seed; it is not a confidence interval.");
}

}  // namespace loadline
