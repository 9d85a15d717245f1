#include "harness/result/environment.h"

namespace loadline {

Environment this_environment() {
  return {.machine = this_machine(), .build = this_build(), .job = this_job()};
}

}  // namespace loadline
