// Parts of loadline that are loaded when they are wanted.
#pragma once

namespace loadline {

// Loads the module of this file name, for good, and returns where its symbol is. Looks for it beside the program or
// library that this code is in, in ../lib/loadline as seen from there, and where `cmake --install` puts it. Throws
// Error naming the module where it is nowhere, or cannot be loaded. Any thread.
void* load_module(const char* name, const char* symbol);

}  // namespace loadline
