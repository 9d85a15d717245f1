// The batches of an iterable of Python as a feed.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "loaders/loader.h"

namespace loadline {

// Iterates over `iterable`, epoch after epoch without end. A slot shows the first array of its batch, whose first
// dimension tells the samples, and has the batch itself as Slot::foreign, which it keeps until it goes home. `name` is
// its name in messages. Called without the GIL; next() holds it while Python works. The thread that makes it is its
// consumer.
std::unique_ptr<Feed> make_script_feed(std::string name, pybind11::object iterable, const LoaderOptions& options);

}  // namespace loadline
