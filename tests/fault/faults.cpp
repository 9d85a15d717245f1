// A library to preload (LD_PRELOAD) into the tool: counts its calls of the system and of malloc, and makes one of them
// fail, be short or be late. The environment says which one:
//
//   LOADLINE_FAULT=FUNCTION:N:fail:ERRNO    the N-th call, counted from 1, fails with that error number
//   LOADLINE_FAULT=FUNCTION:N+:fail:ERRNO   and every one after it, as on a full disk
//   LOADLINE_FAULT=FUNCTION:N:short         it does half of what was requested
//   LOADLINE_FAULT=FUNCTION:N:late          it starts 3 ms later
//   LOADLINE_FAULT_COUNTS=FILE              at the end, writes there how often each function was called, and to
//                                           FILE.met the stack of the call that met the fault
//   LOADLINE_FAULT_PLACES=FILE              at the end, writes there the places that called each function. A place
//                                           is a whole stack: "FUNCTION FIRST LAST", its first and its last call
//   LOADLINE_FAULT_LOG=FILE                 what was opened, written, stored, renamed and closed, in order
//   LOADLINE_FAULT_SERVER=1                 runs the program again and again, see serve()
//
// It does not count what happens before and after main(): the dynamic loader and the start and end of libraries are no
// part of the tool. It covers what the tool and its libraries call by name, but not what libc calls inside itself: the
// write behind fwrite() fails here with fwrite() and fflush().
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming,bugprone-macro-parentheses): libc's names, and
// macros of whole declarations
// glibc has these for replacements of malloc, because dlsym() may allocate.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
struct io_uring;
struct io_uring_cqe;
}

namespace {

// clang-format off
#define FUNCTIONS(X) \
  X(open) X(open64) X(openat) X(openat64) X(creat) X(fopen) X(fopen64) X(fdopen) \
  X(read) X(readv) X(pread) X(pread64) X(fread) X(write) X(writev) X(pwrite) X(pwrite64) X(fwrite) X(fflush) \
  X(close) X(fclose) X(fsync) X(fdatasync) X(rename) X(unlink) X(unlinkat) X(remove) X(mkdir) X(mkdtemp) X(rmdir) \
  X(stat) X(stat64) X(lstat) X(lstat64) X(fstat) X(fstat64) X(fstatat) X(access) X(readlink) X(realpath) X(getcwd) \
  X(lseek) X(lseek64) X(opendir) X(fdopendir) X(readdir) X(readdir64) X(ftruncate) X(ftruncate64) X(flock) \
  X(mmap) X(mmap64) X(munmap) X(madvise) X(mincore) X(posix_fadvise) X(posix_fadvise64) \
  X(pthread_create) X(sched_setaffinity) X(sched_getaffinity) X(posix_spawnp) X(waitid) \
  X(io_uring_queue_init) X(io_uring_register_files_sparse) X(io_uring_register_iowq_max_workers) \
  X(io_uring_submit) X(__io_uring_get_cqe) \
  X(malloc) X(calloc) X(realloc) X(aligned_alloc) X(posix_memalign) X(memalign)
// clang-format on

enum Function : std::size_t {
#define X(name) k_##name,
  FUNCTIONS(X)
#undef X
      kFunctions
};

constexpr std::array<const char*, kFunctions> kNames{
#define X(name) #name,
    FUNCTIONS(X)
#undef X
};

enum class Fault { kNone, kFail, kShort, kLate };

constinit std::array<std::atomic<std::uint64_t>, kFunctions> calls{};
constinit std::array<std::atomic<void*>, kFunctions> originals{};
std::atomic<bool> in_main{false};
std::size_t planned = kFunctions;
std::uint64_t planned_call = 0;
bool planned_for_ever = false;
Fault planned_fault = Fault::kNone;
int planned_error = 0;
char counts_path[4096];
char places_path[4096];
char met_path[4096 + 8];
int log_descriptor = -1;

// A hash table of places by their stacks, large enough for a short run. Each place is in it once.
struct Place {
  std::atomic<std::uint64_t> hash;  // 0: free
  std::atomic<std::uint64_t> first;
  std::atomic<std::uint64_t> last;
  std::atomic<Function> function;
};
constinit std::array<Place, std::size_t{1} << 17> places{};
constinit thread_local bool looking = false;  // at its own stack; the calls that this makes are not the tool's

// This call is neither counted nor made to fail.
int open_for_writing(const char* path) {
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
}

void write_text(int descriptor, const char* text, int length) {
  if (length > 0) ::syscall(SYS_write, descriptor, text, static_cast<std::size_t>(length));
}

template <typename... Values>
void log_line(const char* format, Values... values) {
  if (log_descriptor < 0 || !in_main.load(std::memory_order_relaxed)) return;
  const int saved = errno;
  char line[9000];
  write_text(log_descriptor, line, std::snprintf(line, sizeof line, format, values...));
  errno = saved;
}

[[gnu::noinline]] void meet() {
  const int descriptor = open_for_writing(met_path);
  if (descriptor < 0) return;
  in_main = false;  // the calls made here are not the tool's
  void* frames[64];
  ::backtrace_symbols_fd(frames, ::backtrace(frames, 64), descriptor);
  in_main = true;
  ::syscall(SYS_close, descriptor);
}

[[gnu::noinline]] void note_place(Function function, std::uint64_t call) {
  const int saved = errno;
  void* frames[48];
  looking = true;
  const int depth = ::backtrace(frames, 48);
  looking = false;
  errno = saved;
  std::uint64_t hash = 14695981039346656037U + function;  // FNV-1a, of whole addresses
  for (int i = 0; i < depth; ++i) hash = (hash ^ reinterpret_cast<std::uint64_t>(frames[i])) * 1099511628211U;
  hash |= 1;
  for (std::size_t i = (hash >> 20) % places.size(), tried = 0; tried < places.size(); ++tried) {
    Place& place = places[(i + tried) % places.size()];
    std::uint64_t there = 0;
    if (place.hash.compare_exchange_strong(there, hash)) {
      place.function = function;
      place.first = call;
      place.last = call;
      return;
    }
    if (there != hash) continue;
    place.last = call;
    return;
  }
  constexpr std::string_view kWhy = "more places than there is room for\n";
  write_text(STDERR_FILENO, kWhy.data(), static_cast<int>(kWhy.size()));
  ::_exit(125);
}

// Counts the call and returns the fault that it meets.
Fault count(Function function) {
  if (!in_main.load(std::memory_order_relaxed) || looking) return Fault::kNone;
  const std::uint64_t call = calls[function].fetch_add(1, std::memory_order_relaxed) + 1;
  if (places_path[0] != '\0') note_place(function, call);
  if (function != planned || call < planned_call || (call > planned_call && !planned_for_ever)) return Fault::kNone;
  const int saved = errno;
  if (call == planned_call) meet();
  if (planned_fault == Fault::kLate) {
    const timespec moment{.tv_sec = 0, .tv_nsec = 3'000'000};
    ::syscall(SYS_nanosleep, &moment, nullptr);
  }
  errno = saved;
  return planned_fault;
}

bool fails(Function function) {
  if (count(function) != Fault::kFail) return false;
  errno = planned_error;
  return true;
}

template <typename Pointer>
Pointer original(Function function) {
  void* found = originals[function].load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = ::dlsym(RTLD_NEXT, kNames[function]);
    originals[function].store(found, std::memory_order_relaxed);
  }
  return reinterpret_cast<Pointer>(found);
}

std::size_t half(std::size_t bytes) {
  return bytes > 1 ? bytes / 2 : bytes;
}

mode_t mode_of(int flags, std::va_list& rest) {
  const bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return has_mode ? va_arg(rest, mode_t) : 0;
}

bool parse_plan(const char* text) {
  char name[64];
  char fault[16];
  const char* colon = std::strchr(text, ':');
  if (colon == nullptr || static_cast<std::size_t>(colon - text) >= sizeof name) return false;
  std::memcpy(name, text, static_cast<std::size_t>(colon - text));
  name[colon - text] = '\0';
  char* rest = nullptr;
  planned_call = std::strtoull(colon + 1, &rest, 10);
  planned_for_ever = *rest == '+';
  rest += planned_for_ever ? 1 : 0;
  if (*rest++ != ':') return false;
  if (std::sscanf(rest, "%15[a-z]:%d", fault, &planned_error) < 1) return false;
  const std::string_view kind = fault;
  planned_fault = kind == "fail"    ? Fault::kFail
                  : kind == "short" ? Fault::kShort
                  : kind == "late"  ? Fault::kLate
                                    : Fault::kNone;
  for (planned = 0; planned < kFunctions && std::strcmp(kNames[planned], name) != 0;) ++planned;
  return planned < kFunctions && planned_fault != Fault::kNone && planned_call > 0;
}

void write_counts() {
  if (counts_path[0] == '\0') return;
  const int descriptor = open_for_writing(counts_path);
  for (std::size_t i = 0; i < kFunctions; ++i) {
    char line[128];
    write_text(descriptor, line,
               std::snprintf(line, sizeof line, "%s %llu\n", kNames[i],
                             static_cast<unsigned long long>(calls[i].load(std::memory_order_relaxed))));
  }
  ::syscall(SYS_close, descriptor);
}

void write_places() {
  if (places_path[0] == '\0') return;
  const int descriptor = open_for_writing(places_path);
  for (const Place& place : places) {
    if (place.hash == 0) continue;
    char line[128];
    write_text(
        descriptor, line,
        std::snprintf(line, sizeof line, "%s %llu %llu\n", kNames[place.function],
                      static_cast<unsigned long long>(place.first), static_cast<unsigned long long>(place.last)));
  }
  ::syscall(SYS_close, descriptor);
}

void prepare() {
  for (std::size_t i = 0; i < kFunctions; ++i) original<void*>(static_cast<Function>(i));
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // the first call allocates
  if (const char* path = std::getenv("LOADLINE_FAULT_COUNTS")) {
    std::snprintf(counts_path, sizeof counts_path, "%s", path);
    std::snprintf(met_path, sizeof met_path, "%s.met", counts_path);
  }
  if (const char* path = std::getenv("LOADLINE_FAULT_PLACES")) {
    std::snprintf(places_path, sizeof places_path, "%s", path);
  }
  if (const char* path = std::getenv("LOADLINE_FAULT_LOG")) {
    const int descriptor = open_for_writing(path);
    // A high number, so that the descriptors of the tool stay the same.
    log_descriptor = static_cast<int>(::syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 1000));
    ::syscall(SYS_close, descriptor);
  }
  const char* plan = std::getenv("LOADLINE_FAULT");
  if (plan == nullptr || parse_plan(plan)) return;
  constexpr std::string_view kWhy = "LOADLINE_FAULT is not FUNCTION:N[+]:fail:ERRNO, FUNCTION:N:short or :late\n";
  write_text(STDERR_FILENO, kWhy.data(), static_cast<int>(kWhy.size()));
  ::_exit(125);
}

// Reads one byte at a time, to read no further than the line.
bool read_line(char* line, std::size_t size) {
  for (std::size_t i = 0; i + 1 < size; ++i) {
    if (::syscall(SYS_read, STDIN_FILENO, line + i, std::size_t{1}) != 1) return false;
    if (line[i] != '\n') continue;
    line[i] = '\0';
    return true;
  }
  return false;
}

void redirect(int descriptor, const char* path, int flags) {
  const auto opened = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, 0666));
  ::syscall(SYS_dup2, opened, descriptor);
  ::syscall(SYS_close, opened);
}

// Runs the program once for each line on stdin, which is a LOADLINE_FAULT or empty. Each run is a process forked before
// main(), so that the libraries are loaded once. Prints the id of that process and then its status to stdout; its
// stderr is the file `err`. Returns only in those processes.
void serve() {
  char line[256];
  while (read_line(line, sizeof line)) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setsid();
      redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
      redirect(STDOUT_FILENO, "/dev/null", O_WRONLY);
      redirect(STDERR_FILENO, "err", O_WRONLY | O_CREAT | O_TRUNC);
      if (line[0] != '\0' && !parse_plan(line)) ::_exit(125);
      return;
    }
    char answer[64];
    write_text(STDOUT_FILENO, answer, std::snprintf(answer, sizeof answer, "%d\n", child));
    int status = 0;
    ::waitpid(child, &status, 0);
    write_text(STDOUT_FILENO, answer, std::snprintf(answer, sizeof answer, "%d\n", status));
  }
  ::_exit(0);
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  prepare();
  if (std::getenv("LOADLINE_FAULT_SERVER") != nullptr) serve();
  in_main = true;
  const int code = real_main(argc, argv, environment);
  in_main = false;
  write_counts();
  write_places();
  return code;
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  auto* start = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

// A function that fails or passes the call on.
#define PASS(type, name, failure, parameters, arguments)     \
  type name parameters {                                     \
    if (fails(k_##name)) return failure;                     \
    return original<type(*) parameters>(k_##name) arguments; \
  }

// ---- opening

#define OPEN(name)                                                                                \
  int name(const char* path, int flags, ...) {                                                    \
    std::va_list rest;                                                                            \
    va_start(rest, flags);                                                                        \
    const mode_t mode = mode_of(flags, rest);                                                     \
    va_end(rest);                                                                                 \
    if (fails(k_##name)) return -1;                                                               \
    const int descriptor = original<int (*)(const char*, int, ...)>(k_##name)(path, flags, mode); \
    log_line("open %d %d %s\n", descriptor, flags& O_ACCMODE, path);                              \
    return descriptor;                                                                            \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                              \
  int name(int directory, const char* path, int flags, ...) {                                     \
    std::va_list rest;                                                                            \
    va_start(rest, flags);                                                                        \
    const mode_t mode = mode_of(flags, rest);                                                     \
    va_end(rest);                                                                                 \
    if (fails(k_##name)) return -1;                                                               \
    return original<int (*)(int, const char*, int, ...)>(k_##name)(directory, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

PASS(int, creat, -1, (const char* path, mode_t mode), (path, mode))
PASS(FILE*, fopen, nullptr, (const char* path, const char* mode), (path, mode))
PASS(FILE*, fopen64, nullptr, (const char* path, const char* mode), (path, mode))
PASS(FILE*, fdopen, nullptr, (int descriptor, const char* mode) noexcept, (descriptor, mode))
PASS(DIR*, opendir, nullptr, (const char* path), (path))
PASS(DIR*, fdopendir, nullptr, (int descriptor), (descriptor))
PASS(dirent*, readdir, nullptr, (DIR * directory), (directory))
PASS(dirent64*, readdir64, nullptr, (DIR * directory), (directory))

// ---- reading and writing

#define TRANSFER(name, type, parameters, arguments, bytes)   \
  type name parameters {                                     \
    const Fault fault = count(k_##name);                     \
    if (fault == Fault::kFail) {                             \
      errno = planned_error;                                 \
      return -1;                                             \
    }                                                        \
    if (fault == Fault::kShort) (bytes) = half(bytes);       \
    return original<type(*) parameters>(k_##name) arguments; \
  }
TRANSFER(read, ssize_t, (int descriptor, void* out, std::size_t bytes), (descriptor, out, bytes), bytes)
TRANSFER(pread, ssize_t, (int descriptor, void* out, std::size_t bytes, off_t offset), (descriptor, out, bytes, offset),
         bytes)
TRANSFER(pread64, ssize_t, (int descriptor, void* out, std::size_t bytes, off64_t offset),
         (descriptor, out, bytes, offset), bytes)
TRANSFER(pwrite, ssize_t, (int descriptor, const void* from, std::size_t bytes, off_t offset),
         (descriptor, from, bytes, offset), bytes)
TRANSFER(pwrite64, ssize_t, (int descriptor, const void* from, std::size_t bytes, off64_t offset),
         (descriptor, from, bytes, offset), bytes)

ssize_t write(int descriptor, const void* from, std::size_t bytes) {
  const Fault fault = count(k_write);
  if (fault == Fault::kFail) {
    errno = planned_error;
    return -1;
  }
  if (fault == Fault::kShort) bytes = half(bytes);
  const ssize_t wrote = original<ssize_t (*)(int, const void*, std::size_t)>(k_write)(descriptor, from, bytes);
  log_line("write %d %zd\n", descriptor, wrote);
  return wrote;
}

PASS(ssize_t, readv, -1, (int descriptor, const iovec* parts, int count), (descriptor, parts, count))

ssize_t writev(int descriptor, const iovec* parts, int parts_count) {
  const Fault fault = count(k_writev);
  if (fault == Fault::kFail) {
    errno = planned_error;
    return -1;
  }
  if (fault == Fault::kShort && parts_count > 1) parts_count = 1;
  const ssize_t wrote = original<ssize_t (*)(int, const iovec*, int)>(k_writev)(descriptor, parts, parts_count);
  log_line("write %d %zd\n", descriptor, wrote);
  return wrote;
}

// stdio reports what it could not do by a smaller number.
std::size_t fread(void* out, std::size_t size, std::size_t items, FILE* file) {
  const Fault fault = count(k_fread);
  if (fault == Fault::kFail) {
    errno = planned_error;
    return 0;
  }
  if (fault == Fault::kShort) items = half(items);
  return original<std::size_t (*)(void*, std::size_t, std::size_t, FILE*)>(k_fread)(out, size, items, file);
}

std::size_t fwrite(const void* from, std::size_t size, std::size_t items, FILE* file) {
  const Fault fault = count(k_fwrite);
  if (fault == Fault::kFail || fault == Fault::kShort) {
    const std::size_t some = fault == Fault::kFail ? 0 : items / 2;
    const auto write_some = original<std::size_t (*)(const void*, std::size_t, std::size_t, FILE*)>(k_fwrite);
    const std::size_t wrote = some == 0 ? 0 : write_some(from, size, some, file);
    file->_flags |= 0x0020;  // glibc's mark of a failed stream, which ferror() reports
    errno = fault == Fault::kFail ? planned_error : ENOSPC;
    return wrote;
  }
  return original<std::size_t (*)(const void*, std::size_t, std::size_t, FILE*)>(k_fwrite)(from, size, items, file);
}

PASS(int, fflush, EOF, (FILE * file), (file))
PASS(off_t, lseek, -1, (int descriptor, off_t offset, int whence) noexcept, (descriptor, offset, whence))
PASS(off64_t, lseek64, -1, (int descriptor, off64_t offset, int whence) noexcept, (descriptor, offset, whence))
PASS(int, ftruncate, -1, (int descriptor, off_t bytes) noexcept, (descriptor, bytes))
PASS(int, ftruncate64, -1, (int descriptor, off64_t bytes) noexcept, (descriptor, bytes))
PASS(int, flock, -1, (int descriptor, int operation) noexcept, (descriptor, operation))

// ---- to storage

int fsync(int descriptor) {
  if (fails(k_fsync)) return -1;
  const int result = original<int (*)(int)>(k_fsync)(descriptor);
  log_line("fsync %d %d\n", descriptor, result);
  return result;
}

int fdatasync(int descriptor) {
  if (fails(k_fdatasync)) return -1;
  const int result = original<int (*)(int)>(k_fdatasync)(descriptor);
  log_line("fsync %d %d\n", descriptor, result);
  return result;
}

// The system closes the descriptor even if close() fails.
int close(int descriptor) {
  const bool failed = fails(k_close);
  const int result = original<int (*)(int)>(k_close)(descriptor);
  log_line("close %d\n", descriptor);
  if (!failed) return result;
  errno = planned_error;
  return -1;
}

int fclose(FILE* file) {
  const bool failed = fails(k_fclose);
  const int result = original<int (*)(FILE*)>(k_fclose)(file);
  if (!failed) return result;
  errno = planned_error;
  return EOF;
}

// ---- names

int rename(const char* from, const char* to) noexcept {
  if (fails(k_rename)) return -1;
  const int result = original<int (*)(const char*, const char*)>(k_rename)(from, to);
  log_line("rename %d %s\t%s\n", result, from, to);
  return result;
}

PASS(int, unlink, -1, (const char* path) noexcept, (path))
PASS(int, unlinkat, -1, (int directory, const char* path, int flags) noexcept, (directory, path, flags))
PASS(int, remove, -1, (const char* path) noexcept, (path))
PASS(int, mkdir, -1, (const char* path, mode_t mode) noexcept, (path, mode))
PASS(char*, mkdtemp, nullptr, (char* pattern) noexcept, (pattern))
PASS(int, rmdir, -1, (const char* path) noexcept, (path))
PASS(int, stat, -1, (const char* path, struct stat* out) noexcept, (path, out))
PASS(int, stat64, -1, (const char* path, struct stat64* out) noexcept, (path, out))
PASS(int, lstat, -1, (const char* path, struct stat* out) noexcept, (path, out))
PASS(int, lstat64, -1, (const char* path, struct stat64* out) noexcept, (path, out))
PASS(int, fstat, -1, (int descriptor, struct stat* out) noexcept, (descriptor, out))
PASS(int, fstat64, -1, (int descriptor, struct stat64* out) noexcept, (descriptor, out))
PASS(int, fstatat, -1, (int directory, const char* path, struct stat* out, int flags) noexcept,
     (directory, path, out, flags))
PASS(int, access, -1, (const char* path, int mode) noexcept, (path, mode))
PASS(ssize_t, readlink, -1, (const char* path, char* out, std::size_t bytes) noexcept, (path, out, bytes))
PASS(char*, realpath, nullptr, (const char* path, char* out) noexcept, (path, out))
PASS(char*, getcwd, nullptr, (char* out, std::size_t bytes) noexcept, (out, bytes))

// ---- mappings

PASS(void*, mmap, MAP_FAILED, (void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept,
     (at, bytes, protection, flags, file, offset))
PASS(void*, mmap64, MAP_FAILED,
     (void* at, std::size_t bytes, int protection, int flags, int file, off64_t offset) noexcept,
     (at, bytes, protection, flags, file, offset))
PASS(int, munmap, -1, (void* at, std::size_t bytes) noexcept, (at, bytes))
PASS(int, madvise, -1, (void* at, std::size_t bytes, int advice) noexcept, (at, bytes, advice))
PASS(int, mincore, -1, (void* at, std::size_t bytes, unsigned char* out) noexcept, (at, bytes, out))

// These two return their error.
int posix_fadvise(int descriptor, off_t offset, off_t bytes, int advice) noexcept {
  if (fails(k_posix_fadvise)) return planned_error;
  return original<int (*)(int, off_t, off_t, int)>(k_posix_fadvise)(descriptor, offset, bytes, advice);
}

int posix_fadvise64(int descriptor, off64_t offset, off64_t bytes, int advice) noexcept {
  if (fails(k_posix_fadvise64)) return planned_error;
  return original<int (*)(int, off64_t, off64_t, int)>(k_posix_fadvise64)(descriptor, offset, bytes, advice);
}

// ---- threads and processes

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) noexcept {
  if (fails(k_pthread_create)) return planned_error;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  return original<Create>(k_pthread_create)(thread, attributes, body, argument);
}

PASS(int, sched_setaffinity, -1, (pid_t process, std::size_t bytes, const cpu_set_t* cpus) noexcept,
     (process, bytes, cpus))
PASS(int, sched_getaffinity, -1, (pid_t process, std::size_t bytes, cpu_set_t* cpus) noexcept, (process, bytes, cpus))

int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  if (fails(k_posix_spawnp)) return planned_error;
  using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                        char* const*);
  return original<Spawn>(k_posix_spawnp)(process, file, actions, attributes, arguments, environment);
}

PASS(int, waitid, -1, (idtype_t kind, id_t id, siginfo_t* out, int options), (kind, id, out, options))

// ---- io_uring, by liburing: errors are negative

int io_uring_queue_init(unsigned entries, io_uring* ring, unsigned flags) {
  if (fails(k_io_uring_queue_init)) return -planned_error;
  return original<int (*)(unsigned, io_uring*, unsigned)>(k_io_uring_queue_init)(entries, ring, flags);
}

int io_uring_register_files_sparse(io_uring* ring, unsigned files) {
  if (fails(k_io_uring_register_files_sparse)) return -planned_error;
  return original<int (*)(io_uring*, unsigned)>(k_io_uring_register_files_sparse)(ring, files);
}

int io_uring_register_iowq_max_workers(io_uring* ring, unsigned* values) {
  if (fails(k_io_uring_register_iowq_max_workers)) return -planned_error;
  return original<int (*)(io_uring*, unsigned*)>(k_io_uring_register_iowq_max_workers)(ring, values);
}

int io_uring_submit(io_uring* ring) {
  if (fails(k_io_uring_submit)) return -planned_error;
  return original<int (*)(io_uring*)>(k_io_uring_submit)(ring);
}

int __io_uring_get_cqe(io_uring* ring, io_uring_cqe** out, unsigned submit, unsigned wait, sigset_t* mask) {
  if (fails(k___io_uring_get_cqe)) return -planned_error;
  using Get = int (*)(io_uring*, io_uring_cqe**, unsigned, unsigned, sigset_t*);
  return original<Get>(k___io_uring_get_cqe)(ring, out, submit, wait, mask);
}

// ---- memory

void* malloc(std::size_t size) noexcept {
  return fails(k_malloc) ? nullptr : __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails(k_calloc) ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  return fails(k_realloc) ? nullptr : __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return fails(k_aligned_alloc) ? nullptr : __libc_memalign(alignment, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return fails(k_memalign) ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  if (fails(k_posix_memalign)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming,bugprone-macro-parentheses)
