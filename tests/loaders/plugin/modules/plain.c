/* The smallest plug-in: it delivers the same zeros again and again, without workers, labels, indices, release() or
   stop(). */
#include <loadline/plugin.h>

struct loadline_loader {
  loadline_request asked;
  size_t place;
};

static struct loadline_loader the_loader;
static unsigned char zeros[1 << 16];

static int32_t plain_open(const loadline_request* request, loadline_loader** loader, char* error, size_t error_bytes) {
  (void)error;
  (void)error_bytes;
  the_loader.asked = *request;
  the_loader.place = 0;
  *loader = &the_loader;
  return LOADLINE_OK;
}

static int32_t plain_next(loadline_loader* loader, loadline_batch* batch, char* error, size_t error_bytes) {
  size_t left = loader->asked.samples - loader->place;
  (void)error;
  (void)error_bytes;
  if (left == 0) {
    loader->place = 0;
    return LOADLINE_EPOCH_END;
  }
  if (left > loader->asked.batch_size) left = loader->asked.batch_size;
  loader->place += left;
  batch->data = zeros;
  batch->count = (int64_t)left;
  batch->dtype = LOADLINE_F32;
  return LOADLINE_OK;
}

static void plain_close(loadline_loader* loader) {
  loader->place = 0;
}

static const loadline_plugin_table table = {
    LOADLINE_PLUGIN_VERSION, 0, "plain", "1", plain_open, plain_next, NULL, NULL, plain_close};

const loadline_plugin_table* loadline_plugin(void) {
  return &table;
}
