#include "loaders/system/module.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// The folder of the program, or of the shared library that contains this code.
fs::path own_folder() {
  Dl_info info{};
  void* map = nullptr;
  if (::dladdr1(reinterpret_cast<const void*>(&load_module), &info, &map, RTLD_DL_LINKMAP) == 0) return {};
  // The program has no name there; in `info` it has the name it was started by, which may be anything.
  const std::string name = static_cast<const link_map*>(map)->l_name;
  std::error_code failed;
  const fs::path file = name.empty() ? fs::read_symlink("/proc/self/exe", failed) : fs::canonical(name, failed);
  return failed ? fs::path() : file.parent_path();
}

std::vector<fs::path> places_of(const fs::path& name) {
  std::vector<fs::path> places;
  if (const fs::path folder = own_folder(); !folder.empty()) {
    places.push_back(folder / name);
    places.push_back(folder.parent_path() / "lib/loadline" / name);
  }
  places.push_back(fs::path(LOADLINE_MODULE_FOLDER) / name);
  return places;
}

int flags_for(ModuleNames names) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // Their allocators replace the C library's under the same names.
  static_cast<void>(names);
  return RTLD_NOW | RTLD_LOCAL;
#else
  return RTLD_NOW | RTLD_LOCAL | (names == ModuleNames::kOwnFirst ? RTLD_DEEPBIND : 0);
#endif
}

}  // namespace

void* load_module(const char* name, const char* symbol, const char* purpose, ModuleNames names) {
  std::string looked;
  for (const fs::path& place : places_of(name)) {
    std::error_code ignored;
    if (!fs::exists(place, ignored)) {
      looked += fmt::format("{}{}", looked.empty() ? "" : " or ", place.parent_path().string());
      continue;
    }
    void* const module = ::dlopen(place.c_str(), flags_for(names));
    void* const found = module == nullptr ? nullptr : ::dlsym(module, symbol);
    if (found != nullptr) return found;
    const char* const why = ::dlerror();
    throw Error(fmt::format("cannot load {}, which {}: {}", name, purpose,
                            why == nullptr ? "the system gives no reason" : why));
  }
  throw Error(fmt::format("cannot load {}, which {}: it is not in {}", name, purpose, looked));
}

}  // namespace loadline
