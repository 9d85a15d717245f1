// A library that is looked for while the program runs.
#pragma once

namespace loadline {

// Stays loaded: threads that it started may outlive the caller.
class SharedLibrary {
 public:
  // By the rules of the dynamic linker. Throws nothing: one that is not there has no functions.
  explicit SharedLibrary(const char* file);

  bool is_loaded() const { return handle_ != nullptr; }

  // Null where it has no such function.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_;
};

}  // namespace loadline
