#include "bench/truth/sinks.h"

#include <utility>

namespace loadline::truth {

DeviceSink::DeviceSink(const std::string& compute, SimulatedClock& clock, Slots& slots, const std::stop_token& stop)
    : clock_(clock), slots_(slots), device_(parse_compute(compute).make({.clock = clock, .stop = stop})) {}

}  // namespace loadline::truth
