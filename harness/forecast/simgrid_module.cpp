#include "harness/forecast/simgrid_module.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <memory>
#include <simgrid/s4u.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/forecast/normal.h"

namespace loadline {
namespace {

namespace sg = simgrid::s4u;

constexpr double kNoLimit = 1e18;
constexpr double kLeastPace = 0.05;      // of the mean: what a normal distribution has below it no computer does
constexpr double kUnitsOfBatch = 1e9;    // SimGrid counts in whole bytes: so many a batch of the largest group
constexpr double kSecondsOfStep = 1000;  // and it rounds times to 1e-5 s

// A storage and the links of nodes to it, which all runs of a process use one after the other, as SimGrid makes
// hardware only before it first runs.
struct Hardware {
  sg::Host* storage = nullptr;
  sg::Link* storage_link = nullptr;
  std::vector<sg::Host*> nodes;
  std::vector<sg::Link*> node_links;

  Hardware() {
    sg::NetZone* const zone = sg::create_star_zone("system");
    const auto add = [&](const std::string& name, sg::Host*& host, sg::Link*& link) {
      host = zone->create_host(name, 1e9);
      link = zone->create_link(name + " link", kNoLimit);
      link->set_latency(0);
      link->seal();
      zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {sg::LinkInRoute(link)}, true);
    };
    add("storage", storage, storage_link);
    nodes.resize(kMostGroups);
    node_links.resize(kMostGroups);
    for (std::size_t i = 0; i < kMostGroups; ++i) add("node " + std::to_string(i), nodes[i], node_links[i]);
    zone->seal();
  }
};

// SimGrid installs handlers for these signals, which belong to the program.
class KeptSignals {
 public:
  KeptSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], nullptr, &actions_[i]);
  }

  void restore() const {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &actions_[i], nullptr);
  }

 private:
  static constexpr std::array kSignals{SIGINT, SIGSEGV, SIGBUS, SIGABRT};
  std::array<struct sigaction, kSignals.size()> actions_{};
};

// Flows get a fair share of each link at once (max-min fairness), without TCP's slow start, latency or return
// traffic.
const Hardware& hardware() {
  static std::array<std::string, 6> words{"loadline",
                                          "--cfg=network/model:CM02",
                                          "--cfg=network/crosstraffic:0",
                                          "--cfg=contexts/stack-size:128",
                                          "--cfg=contexts/guard-size:0",
                                          "--log=root.thresh:critical"};
  static std::array<char*, words.size() + 1> arguments{};
  std::ranges::transform(words, arguments.begin(), [](std::string& word) { return word.data(); });
  static int count = static_cast<int>(words.size());
  static const Hardware kMade = [] {
    const KeptSignals kept;  // from before the engine takes them
    static const sg::Engine kEngine(&count, arguments.data());
    kept.restore();
    return Hardware();
  }();
  return kMade;
}

struct Scene {
  const SimulatedRun& run;
  std::span<const SimulatedGroup> groups;
  std::span<const SimulatedEpoch> epochs;
  std::span<double> step_ends;
  SimulatedOutcome& outcome;
  double scale = 1;  // seconds of the simulator in one
  double units = 1;  // of a sample
  double started = 0;
  sg::BarrierPtr barrier;

  double now() const { return (sg::Engine::get_clock() - started) / scale; }
};

// What one group does. Its loading and its steps are one actor or two.
class Group {
 public:
  Group(Scene& scene, std::size_t index)
      : scene_(scene),
        run_(scene.run),
        index_(index),
        loads_(run_.seed * 2 * kMostGroups + 2 * index),
        paces_(run_.seed * 2 * kMostGroups + 2 * index + 1),
        slots_(sg::Semaphore::create(static_cast<unsigned>(run_.queue + 1))),
        ready_(sg::Semaphore::create(0)) {}

  void start() {
    sg::Host* const host = hardware().nodes[index_];
    if (run_.queue > 0) sg::Actor::create("load", host, [this] { load(); });
    sg::Actor::create("step", host, [this] { step(); });
  }

 private:
  template <typename Each>
  void each_step(const Each& each) const {
    for (std::size_t i = 0; i < run_.warm_up; ++i) each(scene_.epochs.front().missed);
    for (const SimulatedEpoch& epoch : scene_.epochs) {
      for (std::size_t i = 0; i < epoch.steps; ++i) {
        each(epoch.missed * std::exp(-epoch.decay * (static_cast<double>(i) + 0.5)));
      }
    }
  }

  // For each sample of a batch, chance decides whether the node has it in memory.
  double share_missed(double likely) {
    const double share = std::clamp(std::max(likely, run_.least_missed), 0.0, 1.0);
    if (run_.seed == 0 || share == 0 || share == 1) return share;
    const double samples = run_.batch_size * scene_.groups[index_].ranks;
    return std::clamp(share + loads_.one() * std::sqrt(share * (1 - share) / samples), 0.0, 1.0);
  }

  void read(double likely) {
    const double missed = share_missed(likely);
    const double mixed = run_.ahead ? std::max(run_.hit_seconds, missed * run_.miss_seconds)
                                    : run_.hit_seconds + missed * (run_.miss_seconds - run_.hit_seconds);
    const double seconds = scene_.scale * std::max(mixed, run_.least_seconds);
    const double units = std::round(missed * run_.batch_size * scene_.groups[index_].ranks * scene_.units);
    const bool limited = run_.storage_per_second > 0 || run_.node_per_second > 0;
    if (!limited || units < 1) {
      sg::this_actor::sleep_for(seconds);
      return;
    }
    // A flow begins by itself once it has a size, a source and a destination. It takes all that it can get: SimGrid
    // 3.32 applies a flow's own limit (set_rate) only between mailboxes.
    const sg::CommPtr flow = sg::Comm::sendto_init();
    flow->set_payload_size(static_cast<std::uint64_t>(units));
    flow->set_source(hardware().storage);
    flow->set_destination(hardware().nodes[index_]);
    sg::this_actor::sleep_for(seconds);
    flow->wait();
  }

  void load() {
    each_step([&](double missed) {
      slots_->acquire();
      read(missed);
      ready_->release();
    });
  }

  void step() {
    std::size_t done = 0;
    each_step([&](double missed) {
      const double began = scene_.now();
      if (run_.queue > 0) {
        ready_->acquire();
      } else {
        read(missed);
      }
      const double loaded = scene_.now();
      sg::this_actor::sleep_for(scene_.scale * run_.step_seconds * pace(done));
      if (run_.queue > 0) slots_->release();
      const double stepped = scene_.now();
      if (run_.together) scene_.barrier->wait();
      const double together = scene_.now();
      if (run_.reduction_seconds > 0) sg::this_actor::sleep_for(scene_.scale * run_.reduction_seconds);
      const auto count = static_cast<double>(scene_.groups.size());
      if (done >= run_.warm_up) {
        scene_.outcome.wait_seconds += (loaded - began) / count;
        scene_.outcome.held_seconds += (together - stepped) / count;
      }
      scene_.step_ends[done++] += scene_.now() / count;
    });
  }

  // The pace of the slowest rank if all wait for it, otherwise of the mean rank. It is kept for as many steps as a
  // trial had, since the mean over these was measured.
  double pace(std::size_t step) {
    if (run_.seed == 0 || run_.variation <= 0) return 1;
    if (steps_left_ < 1) {
      const double ranks = scene_.groups[index_].ranks;
      const double normal = run_.together ? paces_.largest(ranks) : paces_.one() / std::sqrt(ranks);
      pace_ = std::max(kLeastPace, 1 + run_.variation * normal);
      steps_left_ = run_.pace_steps * (step == 0 ? paces_.uniform() : 1);
    }
    --steps_left_;
    return pace_;
  }

  Scene& scene_;
  const SimulatedRun& run_;
  std::size_t index_;
  NormalDraws loads_;
  NormalDraws paces_;
  sg::SemaphorePtr slots_;
  sg::SemaphorePtr ready_;
  double pace_ = 1;
  double steps_left_ = 0;
};

void set_links(const Scene& scene, double storage_per_second, double node_per_second) {
  const auto bandwidth = [](double limit) { return limit > 0 ? std::min(limit, kNoLimit) : kNoLimit; };
  hardware().storage_link->set_bandwidth(bandwidth(storage_per_second));
  for (std::size_t i = 0; i < scene.groups.size(); ++i) {
    hardware().node_links[i]->set_bandwidth(bandwidth(node_per_second * scene.groups[i].nodes));
  }
}

void copy(Scene& scene) {
  const SimulatedRun& run = scene.run;
  if (run.copied_bytes <= 0 || (run.storage_bytes_per_second <= 0 && run.node_bytes_per_second <= 0)) return;
  double nodes = 0;
  for (const SimulatedGroup& group : scene.groups) nodes += group.nodes;
  double seconds = 0;  // about as many as it takes
  if (run.storage_bytes_per_second > 0) seconds = nodes * run.copied_bytes / run.storage_bytes_per_second;
  if (run.node_bytes_per_second > 0) seconds = std::max(seconds, run.copied_bytes / run.node_bytes_per_second);
  if (!std::isfinite(seconds)) throw std::runtime_error("copying the dataset takes longer than a number can hold");
  // Copying may take so long that the duration of a step would vanish in rounding, so on the engine's clock it lasts
  // as long as a step.
  const double scale = kSecondsOfStep / seconds;
  const double of_rate = kUnitsOfBatch / run.copied_bytes / scale;
  set_links(scene, run.storage_bytes_per_second * of_rate, run.node_bytes_per_second * of_rate);
  const double started = sg::Engine::get_clock();
  for (std::size_t i = 0; i < scene.groups.size(); ++i) {
    const auto size = static_cast<std::uint64_t>(kUnitsOfBatch * scene.groups[i].nodes);
    sg::Actor::create("copy", hardware().nodes[i],
                      [i, size] { sg::Comm::sendto(hardware().storage, hardware().nodes[i], size); });
  }
  sg::Engine::get_instance()->run();
  scene.outcome.copy_seconds = (sg::Engine::get_clock() - started) / scale;
}

void simulate_all(Scene& scene) {
  const SimulatedRun& run = scene.run;
  hardware();
  copy(scene);
  double most_ranks = 1;
  for (const SimulatedGroup& group : scene.groups) most_ranks = std::max(most_ranks, group.ranks);
  double most_missed = run.least_missed;
  for (const SimulatedEpoch& epoch : scene.epochs) most_missed = std::max(most_missed, epoch.missed);
  const double longest = std::max({run.step_seconds, run.hit_seconds, most_missed * run.miss_seconds, 1e-12});
  scene.scale = kSecondsOfStep / longest;
  scene.units = kUnitsOfBatch / (run.batch_size * most_ranks);
  const double of_rate = scene.units / scene.scale;
  set_links(scene, run.storage_per_second * of_rate, run.node_per_second * of_rate);
  scene.barrier = sg::Barrier::create(static_cast<unsigned>(scene.groups.size()));
  scene.started = sg::Engine::get_clock();
  std::vector<std::unique_ptr<Group>> groups;
  for (std::size_t i = 0; i < scene.groups.size(); ++i) groups.push_back(std::make_unique<Group>(scene, i));
  for (const auto& group : groups) group->start();
  sg::Engine::get_instance()->run();
}

const char* simulate(const SimulatedRun* run, const SimulatedGroup* groups, std::size_t group_count,
                     const SimulatedEpoch* epochs, std::size_t epoch_count, double* step_ends,
                     SimulatedOutcome* outcome) {
  static std::string why;
  try {
    std::size_t steps = run->warm_up;
    for (std::size_t i = 0; i < epoch_count; ++i) steps += epochs[i].steps;
    std::fill_n(step_ends, steps, 0.0);
    *outcome = {};
    Scene scene{.run = *run,
                .groups = {groups, group_count},
                .epochs = {epochs, epoch_count},
                .step_ends = {step_ends, steps},
                .outcome = *outcome,
                .barrier = nullptr};
    simulate_all(scene);
    return nullptr;
  } catch (const std::exception& error) {
    why = error.what();
    return why.c_str();
  }
}

const char* library() {
  return LOADLINE_SIMGRID_VERSION;
}

}  // namespace

const SimGridFunctions* loadline_simgrid_functions() {
  static const SimGridFunctions kFunctions{
      .version = SimGridFunctions::kVersion, .library = library, .simulate = simulate};
  return &kFunctions;
}

}  // namespace loadline
