// A plug-in whose static object cannot be made.
#include <loadline/plugin.h>

#include <stdexcept>

namespace {

struct Thrower {
  Thrower() { throw std::runtime_error("no licence"); }
};

const Thrower kThrower;

}  // namespace

const loadline_plugin_table* loadline_plugin() {
  return nullptr;
}
