/* librocm_smi64.so of a machine with one GPU that reports its power only through the older call. */
#include <stdint.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 2 };

int rsmi_init(uint64_t flags) {
  return flags == 0 ? SUCCESS : NOT_SUPPORTED;
}
int rsmi_shut_down(void) {
  return SUCCESS;
}
int rsmi_num_monitor_devices(uint32_t* count) {
  *count = 1;
  return SUCCESS;
}
int rsmi_dev_busy_percent_get(uint32_t device, uint32_t* percent) {
  *percent = 40 + device;
  return SUCCESS;
}
int rsmi_dev_memory_usage_get(uint32_t device, int kind, uint64_t* bytes) {
  (void)device;
  *bytes = 5ULL << 30;
  return kind == 0 ? SUCCESS : NOT_SUPPORTED;
}
int rsmi_dev_current_socket_power_get(uint32_t device, uint64_t* microwatts) {
  (void)device;
  (void)microwatts;
  return NOT_SUPPORTED;
}
int rsmi_dev_power_ave_get(uint32_t device, uint32_t sensor, uint64_t* microwatts) {
  (void)device;
  *microwatts = 250000000 + sensor;
  return SUCCESS;
}
int rsmi_dev_temp_metric_get(uint32_t device, uint32_t sensor, int metric, int64_t* thousandths) {
  (void)device;
  *thousandths = 55000;
  return sensor == 0 && metric == 0 ? SUCCESS : NOT_SUPPORTED;
}
int rsmi_dev_energy_count_get(uint32_t device, uint64_t* count, float* microjoules, uint64_t* when) {
  static uint64_t counted = 1000000;
  (void)device;
  *count = counted;
  counted += 2000000;
  *microjoules = 15.5F;
  *when = 0;
  return SUCCESS;
}
