// A feed of the batches of a Python iterable.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "loaders/loader.h"

namespace loadline {

// Iterates over `iterable`, epoch after epoch, without end. Samples are counted as in batches.h; a slot shows
// the first array that has one entry for each, and keeps the batch itself as Slot::foreign until it is returned. next()
// throws Error for a batch whose samples cannot be counted. `name` is its name
// in messages. Call it without the GIL; next() takes the GIL while Python works. The thread that makes the feed must
// be its consumer.
// `uses_batch_size`: otherwise it reports how large its batches are.
std::unique_ptr<Feed> make_script_feed(std::string name, pybind11::object iterable, bool uses_batch_size,
                                       const LoaderOptions& options);

}  // namespace loadline
