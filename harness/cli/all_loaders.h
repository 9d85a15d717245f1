// What `--loader all` stands for.
#pragma once

#include "harness/cli/verbs.h"

namespace loadline {

// Where the options name all loaders of the table, keeps those that can read the data. Says in one line which it leaves
// out and why, unless the options say quiet. A continued run keeps its own loaders. Options that make no plan, or name
// no data, stay as they are: the plan and the opening say better what is wrong.
void keep_loaders_that_can_read(RunRequest& request);

}  // namespace loadline
