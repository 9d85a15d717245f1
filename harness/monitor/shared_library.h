// A library that is loaded at run time.
#pragma once

namespace loadline {

// Stays loaded: threads that it started may outlive the caller.
class SharedLibrary {
 public:
  // Found by the rules of the dynamic linker. Never throws: a missing library has no functions.
  explicit SharedLibrary(const char* file);

  // Null if it has no such function.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_;
};

}  // namespace loadline
