/* A plug-in that crashes as soon as it is asked for its table. */
#include <loadline/plugin.h>
#include <stdlib.h>

const loadline_plugin_table* loadline_plugin(void) {
  abort();
}
