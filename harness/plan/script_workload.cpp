#include "harness/plan/script_workload.h"

#include "loaders/names.h"

namespace loadline {

const Workload& workload_named(std::string_view name) {
  static const Workload kScript{.name = kScriptWorkload,
                                .summary = "what a loader written in Python delivers",
                                .directory = "",
                                .how_to_get_it = "",
                                .classes = 1U << 30U,  // any
                                .batch_size = 64,
                                .mean = {},
                                .stddev = {},
                                .crop_padding = 0,
                                .flip = false,
                                .compute = "drain"};
  return name == kScriptWorkload ? kScript : row_named(workloads(), "--workload", name);
}

}  // namespace loadline
