/* A plug-in that lacks one of the functions that it must have: next(). */
#include <loadline/plugin.h>

static int32_t incomplete_open(const loadline_request* request, loadline_loader** loader, char* error,
                               size_t error_bytes) {
  (void)request;
  (void)loader;
  (void)error;
  (void)error_bytes;
  return LOADLINE_OK;
}

static void incomplete_close(loadline_loader* loader) {
  (void)loader;
}

static const loadline_plugin_table table = {
    LOADLINE_PLUGIN_VERSION, 0, NULL, NULL, incomplete_open, NULL, NULL, NULL, incomplete_close};

const loadline_plugin_table* loadline_plugin(void) {
  return &table;
}
