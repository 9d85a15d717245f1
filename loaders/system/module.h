// Parts of loadline that are loaded when they are wanted.
#pragma once

namespace loadline {

// Whose names a module finds first, where the process has some of the same: those of the process, or those of the
// libraries that it brings. Sanitizers do without the latter.
enum class ModuleNames { kProcessFirst, kOwnFirst };

// Loads the module of this file name, for good, and returns where its symbol is. Looks for it beside the program or
// library that this code is in, in ../lib/loadline as seen from there, and where `cmake --install` puts it. Throws
// Error naming the module where it is nowhere, or cannot be loaded. Any thread.
void* load_module(const char* name, const char* symbol, ModuleNames names = ModuleNames::kProcessFirst);

}  // namespace loadline
