// A feed of the batches of a Python iterable.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "loaders/loader.h"

namespace loadline {

// Iterates over `iterable`, epoch after epoch, without end. A slot shows the first array of its batch, whose first
// dimension gives the samples, and keeps the batch itself as Slot::foreign until it is returned. `name` is its name
// in messages. Call it without the GIL; next() takes the GIL while Python works. The thread that makes the feed must
// be its consumer.
std::unique_ptr<Feed> make_script_feed(std::string name, pybind11::object iterable, const LoaderOptions& options);

}  // namespace loadline
