// The functions behind the rows of the loader table; their contract is LoaderKind's.
#pragma once

#include <memory>

#include "loaders/loader.h"

namespace loadline {

std::unique_ptr<Feed> make_flow_graph(const Assembler& assembler, const Sampler& sampler, const LoaderOptions& options);
std::unique_ptr<Feed> make_serial(const Assembler& assembler, const Sampler& sampler, const LoaderOptions& options);
std::unique_ptr<Feed> make_thread_pool(const Assembler& assembler, const Sampler& sampler,
                                       const LoaderOptions& options);

}  // namespace loadline
