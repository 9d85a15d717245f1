// The functions behind the rows of the loader table. LoaderKind::make() has their contract.
#pragma once

#include <memory>

#include "loaders/loader.h"

namespace loadline {

std::unique_ptr<Feed> make_flow_graph(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                      const LoaderOptions& options);
std::unique_ptr<Feed> make_serial(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                  const LoaderOptions& options);
std::unique_ptr<Feed> make_thread_pool(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                       const LoaderOptions& options);

}  // namespace loadline
