// Replaces events.cpp in builds without protobuf.
#include "harness/show/tensorboard/events.h"
#include "loaders/error.h"

namespace loadline {
namespace {

[[noreturn]] std::string refuse_events() {
  throw Error(std::string("cannot write events: ") + std::string(why_no_tensorboard()));
}

}  // namespace

std::string_view why_no_tensorboard() {
  return "built without protobuf; install it (Debian: libprotobuf-dev and protobuf-compiler) and configure again";
}

std::string first_event(double /*time*/) {
  return refuse_events();
}
std::string scalars_event(double /*time*/, std::int64_t /*step*/, std::span<const Scalar> /*scalars*/) {
  return refuse_events();
}
std::string experiment_event(double /*time*/, const HparamsExperiment& /*experiment*/) {
  return refuse_events();
}
std::string session_start_event(double /*time*/, const Hparams& /*hparams*/) {
  return refuse_events();
}
std::string session_end_event(double /*time*/, SessionEnd /*end*/) {
  return refuse_events();
}

}  // namespace loadline
