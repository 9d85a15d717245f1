// Samples in the order of their classes, as in a folder with a directory for each.
#pragma once

#include <memory>

#include "loaders/datasets/dataset.h"

namespace loadline {

// The samples of `from`, which it borrows, sorted by label; those of one class keep their order. All labels are in
// memory, and encoded samples stay encoded. Meant for convert(): it passes on what visit(), a reader, describe() and
// check_intact() do, and neither mapped files nor lengths nor check_files(). Throws Error like
// Dataset::checked_labels().
std::unique_ptr<Dataset> in_order_of_classes(const Dataset& from);

}  // namespace loadline
