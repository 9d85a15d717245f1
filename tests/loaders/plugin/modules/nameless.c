/* A plug-in that says neither its name nor its version, and cannot be opened. */
#include <loadline/plugin.h>

static int32_t nameless_open(const loadline_request* request, loadline_loader** loader, char* error,
                             size_t error_bytes) {
  (void)request;
  (void)loader;
  (void)error;
  (void)error_bytes;
  return LOADLINE_FAILED;
}

static int32_t nameless_next(loadline_loader* loader, loadline_batch* batch, char* error, size_t error_bytes) {
  (void)loader;
  (void)batch;
  (void)error;
  (void)error_bytes;
  return LOADLINE_FAILED;
}

static void nameless_close(loadline_loader* loader) {
  (void)loader;
}

static const loadline_plugin_table table = {LOADLINE_PLUGIN_VERSION, 0,    "",   NULL,          nameless_open,
                                            nameless_next,           NULL, NULL, nameless_close};

const loadline_plugin_table* loadline_plugin(void) {
  return &table;
}
