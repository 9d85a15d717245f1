/* An old libnvidia-ml.so.1: it offers the throttle reasons under their former name, and little else. */
typedef struct device device;

int nvmlInit_v2(void) {
  return 0;
}
int nvmlShutdown(void) {
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, device** found) {
  (void)index;
  *found = (device*)&nvmlInit_v2;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(device* of, unsigned long long* reasons) {
  (void)of;
  *reasons = 0x08;
  return 0;
}
