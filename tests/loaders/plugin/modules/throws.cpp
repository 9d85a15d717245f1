// A plug-in that throws an exception without a message as soon as it is asked for its table.
#include <loadline/plugin.h>

#include <stdexcept>

const loadline_plugin_table* loadline_plugin() {
  throw std::runtime_error("");
}
