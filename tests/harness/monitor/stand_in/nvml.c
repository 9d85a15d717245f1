/* libnvidia-ml.so.1 of a machine with three GPUs. The second does not count its energy, and the third may not be
   accessed. Each call for energy or bytes finds more than the one before. */
#include <string.h>

typedef struct device {
  int index;
  unsigned long long millijoules;
  unsigned long long received;
} device;
static device devices[] = {{0, 1000000, 0}, {1, 0, 0}};

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NO_PERMISSION = 4 };

int nvmlInit_v2(void) {
  return SUCCESS;
}
int nvmlShutdown(void) {
  return SUCCESS;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 3;
  return SUCCESS;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, device** found) {
  if (index == 2) return NO_PERMISSION;
  *found = &devices[index];
  return SUCCESS;
}
int nvmlDeviceGetName(device* of, char* name, unsigned length) {
  strncpy(name, of->index == 0 ? "Stand-in A" : "Stand-in B", length);
  return SUCCESS;
}
int nvmlDeviceGetUtilizationRates(device* of, unsigned* percent) {
  percent[0] = of->index == 0 ? 75 : 0;
  percent[1] = of->index == 0 ? 20 : 0;
  return SUCCESS;
}
int nvmlDeviceGetMemoryInfo(device* of, unsigned long long* bytes) {
  bytes[0] = 80ULL << 30;
  bytes[2] = of->index == 0 ? 3ULL << 30 : 0;
  bytes[1] = bytes[0] - bytes[2];
  return SUCCESS;
}
int nvmlDeviceGetPowerUsage(device* of, unsigned* milliwatts) {
  *milliwatts = of->index == 0 ? 350500 : 70000;
  return SUCCESS;
}
int nvmlDeviceGetClockInfo(device* of, int kind, unsigned* megahertz) {
  (void)of;
  *megahertz = kind == 1 ? 1980 : 2619;
  return SUCCESS;
}
int nvmlDeviceGetTemperature(device* of, int sensor, unsigned* degrees) {
  (void)of;
  *degrees = 61;
  return sensor == 0 ? SUCCESS : NOT_SUPPORTED;
}
int nvmlDeviceGetCurrentClocksEventReasons(device* of, unsigned long long* reasons) {
  *reasons = of->index == 0 ? 0x04 | 0x40 : 0x01;
  return SUCCESS;
}
int nvmlDeviceGetTotalEnergyConsumption(device* of, unsigned long long* millijoules) {
  if (of->index == 1) return NOT_SUPPORTED;
  *millijoules = of->millijoules;
  of->millijoules += 42500;
  return SUCCESS;
}

typedef struct field {
  unsigned id, scope;
  long long timestamp, latency;
  int type, status;
  union {
    double as_double;
    unsigned long long as_whole;
  } value;
} field;
int nvmlDeviceGetFieldValues(device* of, int count, field* values) {
  for (int i = 0; i < count; ++i) {
    values[i].status = of->index == 0 ? SUCCESS : NOT_SUPPORTED;
    values[i].type = 3;
    values[i].value.as_whole = values[i].id == 198 ? of->received : 500;
  }
  of->received += 2000000;
  return SUCCESS;
}
int nvmlDeviceGetPcieThroughput(device* of, int counter, unsigned* kilobytes_per_second) {
  (void)of;
  *kilobytes_per_second = counter == 1 ? 7000 : 3;
  return SUCCESS;
}
