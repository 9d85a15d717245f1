/* A plug-in that returns no table. */
#include <loadline/plugin.h>

const loadline_plugin_table* loadline_plugin(void) {
  return NULL;
}
