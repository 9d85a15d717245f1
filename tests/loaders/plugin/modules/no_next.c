/* A plug-in that lacks the functions that it must have. */
#include <loadline/plugin.h>

static const loadline_plugin_table table = {LOADLINE_PLUGIN_VERSION, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL};

const loadline_plugin_table* loadline_plugin(void) {
  return &table;
}
