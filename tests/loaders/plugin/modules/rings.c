/* A plug-in whose name rings the terminal's bell and whose version turns its text red. It cannot be opened. */
#include <loadline/plugin.h>

static int32_t rings_open(const loadline_request* request, loadline_loader** loader, char* error, size_t error_bytes) {
  (void)request;
  (void)loader;
  (void)error;
  (void)error_bytes;
  return LOADLINE_FAILED;
}

static int32_t rings_next(loadline_loader* loader, loadline_batch* batch, char* error, size_t error_bytes) {
  (void)loader;
  (void)batch;
  (void)error;
  (void)error_bytes;
  return LOADLINE_FAILED;
}

static void rings_close(loadline_loader* loader) {
  (void)loader;
}

static const loadline_plugin_table table = {
    LOADLINE_PLUGIN_VERSION, 0, "rings\a", "\033[31m1", rings_open, rings_next, NULL, NULL, rings_close};

const loadline_plugin_table* loadline_plugin(void) {
  return &table;
}
