/* A plug-in that has nothing to give. */
#include <loadline/plugin.h>

const loadline_plugin_table* loadline_plugin(void) {
  return NULL;
}
