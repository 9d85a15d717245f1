// Loads parts of loadline on demand.
#pragma once

namespace loadline {

// Whose symbols a module finds first if both have the same name: the process's, or those of the libraries that the
// module brings. Sanitizers do not support kOwnFirst.
enum class ModuleNames { kProcessFirst, kOwnFirst };

// Loads the module with this file name permanently and returns the address of its symbol. Looks in the directory of
// the program or library that contains this code, in ../lib/loadline from there, and where `cmake --install` puts it.
// Throws Error naming the module and its purpose if it is in none of these or cannot be loaded. Any thread.
// `purpose`: "decodes images other than JPEG".
void* load_module(const char* name, const char* symbol, const char* purpose,
                  ModuleNames names = ModuleNames::kProcessFirst);

}  // namespace loadline
