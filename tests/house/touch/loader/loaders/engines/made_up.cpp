// `serial` by another name.
#include "loaders/engines/engines.h"

namespace loadline {

std::unique_ptr<Feed> make_made_up(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                   const LoaderOptions& options) {
  return make_serial(kind, assembler, sampler, options);
}

}  // namespace loadline
