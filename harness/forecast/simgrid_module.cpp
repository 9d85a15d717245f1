#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "harness/forecast/simulation_module.h"

namespace loadline {
namespace {

namespace sg4 = simgrid::s4u;

constexpr double kNoLimit = 1e18;  // bytes per second

double limit_of(double bytes_per_second) {
  return bytes_per_second > 0 ? bytes_per_second : kNoLimit;
}

std::uint64_t whole(double bytes) {
  return static_cast<std::uint64_t>(std::llround(bytes));
}

// The largest of `count` draws from a standard normal distribution, of one uniform draw: by Acklam's rational
// approximation of the inverse in its tails' form, exact to 4.5e-4 (Abramowitz and Stegun, 26.2.23).
double largest_normal(double uniform, double count) {
  const double below = std::pow(uniform, 1 / count);
  const double tail = std::max(1e-300, below > 0.5 ? 1 - below : below);
  const double t = std::sqrt(-2 * std::log(tail));
  const double x = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                           (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
  return below > 0.5 ? x : -x;
}

// One run: its hosts, and what its actors share.
class Scene {
 public:
  Scene(sg4::NetZone* zone, const SimulatedRun& run, std::size_t number)
      : run_(run), barrier_(sg4::Barrier::create(static_cast<unsigned>(run.groups))), seed_(number + 1) {
    const auto of_group = run.nodes / static_cast<double>(run.groups);
    const auto named = [&](const char* what, std::size_t i) {
      return std::string(what) + std::to_string(number) + "_" + std::to_string(i);
    };
    const auto add = [&](const std::string& name, double bytes_per_second) {
      sg4::Host* const host = zone->create_host(name, 1e9);
      const sg4::Link* const link =
          zone->create_split_duplex_link(name + "_link", bytes_per_second)->set_latency(0)->seal();
      zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                      {{static_cast<const sg4::SplitDuplexLink*>(link), sg4::LinkInRoute::Direction::UP}}, true);
      return host;
    };
    storage_ = add(named("storage", 0), limit_of(run.storage_bytes_per_second));
    for (std::size_t i = 0; i < run.groups; ++i) {
      readers_.push_back(add(named("reader", i), of_group * limit_of(run.node_bytes_per_second)));
      nodes_.push_back(add(named("node", i), of_group * limit_of(run.network_bytes_per_second)));
    }
  }

  void start() {
    for (std::size_t i = 0; i < run_.groups; ++i) {
      auto slots = sg4::Semaphore::create(static_cast<unsigned>(run_.queue + 1));
      auto ready = sg4::Semaphore::create(0);
      sg4::Actor::create("load", readers_[i], [this, i, slots, ready] { load(i, *slots, *ready); });
      sg4::Actor::create("step", nodes_[i], [this, i, slots, ready] { step(i, *slots, *ready); });
    }
  }

  SimulatedOutcome outcome() const { return {.samples_per_second = per_second_, .events = events_}; }

 private:
  double ranks_of_group() const { return run_.ranks / static_cast<double>(run_.groups); }

  // Of one group's loaders together: a flow that is as fast as they are alone, at the most.
  void load(std::size_t group, sg4::Semaphore& slots, sg4::Semaphore& ready) {
    for (std::size_t i = 0; i < run_.steps; ++i) {
      slots.acquire();
      ++events_;
      if (run_.batch_bytes * ranks_of_group() < 1) {
        sg4::this_actor::sleep_for(run_.batch_seconds);
      } else {
        const double bytes = run_.batch_bytes * ranks_of_group();
        auto flow = sg4::Comm::sendto_init(storage_, readers_[group]);
        flow->set_payload_size(whole(bytes));
        if (run_.batch_seconds > 0) flow->set_rate(bytes / run_.batch_seconds);
        flow->wait();
      }
      ready.release();
    }
  }

  void step(std::size_t group, sg4::Semaphore& slots, sg4::Semaphore& ready) {
    std::mt19937_64 random(seed_ * 1'000'003 + group);
    std::uniform_real_distribution<double> uniform(0, 1);
    double counted_from = 0;
    for (std::size_t i = 0; i < run_.steps; ++i) {
      if (i == run_.warm_up) counted_from = sg4::Engine::get_clock();
      ready.acquire();
      const double slower = 1 + run_.step_variation * largest_normal(uniform(random), ranks_of_group());
      ++events_;
      sg4::this_actor::sleep_for(run_.step_seconds * std::max(0.0, run_.step_variation > 0 ? slower : 1.0));
      slots.release();
      if (run_.together) end_together(group);
    }
    per_second_ += static_cast<double>(run_.steps - run_.warm_up) * run_.batch_size * ranks_of_group() /
                   (sg4::Engine::get_clock() - counted_from);
  }

  void end_together(std::size_t group) {
    barrier_->wait();
    if (run_.reduction_seconds > 0) sg4::this_actor::sleep_for(run_.reduction_seconds);
    const double bytes = run_.reduced_bytes * run_.nodes / static_cast<double>(run_.groups);
    if (bytes < 1 || run_.groups < 2) return;
    ++events_;
    sg4::Comm::sendto(nodes_[group], nodes_[(group + 1) % run_.groups], whole(bytes));
  }

  SimulatedRun run_;
  sg4::BarrierPtr barrier_;
  std::size_t seed_;
  sg4::Host* storage_ = nullptr;
  std::vector<sg4::Host*> readers_;
  std::vector<sg4::Host*> nodes_;
  double per_second_ = 0;
  double events_ = 0;
};

void simulate_all(const SimulatedRun* runs, std::size_t count, SimulatedOutcome* outcomes) {
  // No model of TCP: a flow gets its share of the links at once, and all of it.
  std::array<std::string, 6> words{"loadline",
                                   "--cfg=network/model:CM02",
                                   "--cfg=network/crosstraffic:0",
                                   "--cfg=contexts/stack-size:128",
                                   "--log=root.thresh:error",
                                   "--cfg=contexts/guard-size:0"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int number = static_cast<int>(words.size());
  sg4::Engine engine(&number, arguments.data());
  sg4::NetZone* const zone = sg4::create_star_zone("systems");
  std::vector<std::unique_ptr<Scene>> scenes;
  for (std::size_t i = 0; i < count; ++i) scenes.push_back(std::make_unique<Scene>(zone, runs[i], i));
  zone->seal();
  for (const auto& scene : scenes) scene->start();
  engine.run();
  for (std::size_t i = 0; i < count; ++i) outcomes[i] = scenes[i]->outcome();
}

const char* simulate(const SimulatedRun* runs, std::size_t count, SimulatedOutcome* outcomes) {
  static std::string why;
  try {
    simulate_all(runs, count, outcomes);
    return nullptr;
  } catch (const std::exception& error) {
    why = error.what();
    return why.c_str();
  }
}

}  // namespace

const SimulationFunctions* loadline_simgrid_functions() {
  static const SimulationFunctions kFunctions{.version = SimulationFunctions::kVersion, .simulate = simulate};
  return &kFunctions;
}

}  // namespace loadline
