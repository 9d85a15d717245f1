#include "harness/cli/result_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "harness/cli/streams.h"
#include "harness/result/result_json.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {

bool names_stdout(const std::string& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

ResultFile::ResultFile(const std::string& path) : path_(path), to_stdout_(names_stdout(path)) {
  if (to_stdout_) return;
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    stream_.reset(::fdopen(open_other_than_file(path), "w"));
    if (!stream_) throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    return;
  }
  // The file that a link leads to is replaced, not the link.
  if (std::filesystem::is_symlink(path, code)) path_ = std::filesystem::weakly_canonical(path, code);
  const AtomicFile probe(path_);
}

void ResultFile::save_in_passing(const Result& result, Clock& clock) {
  if (to_stdout_ || stream_) return;
  const Time begin = clock.now();
  if (begin < next_) return;
  try {
    replace(result_json(result, judge_run(result)));
  } catch (const Error&) {
  }
  const Time end = clock.now();
  next_ = end + 19 * (end - begin);
}

void ResultFile::finish(const Result& result, const Judgement& judgement) const {
  finish(result_json(result, judgement));
}

void ResultFile::finish(const std::string& text) const {
  if (to_stdout_) return put(stdout, text);
  if (!stream_) return replace(text);
  put(stream_.get(), text);
  if (std::fflush(stream_.get()) == 0 && std::ferror(stream_.get()) == 0) return;
  throw Error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

void ResultFile::replace(const std::string& text) const {
  AtomicFile file(path_);
  file.write(text);
  file.commit();
}

}  // namespace loadline
