#include "harness/monitor/shared_library.h"

#include <dlfcn.h>

namespace loadline {

SharedLibrary::SharedLibrary(const char* file) : handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {}

void* SharedLibrary::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

}  // namespace loadline
