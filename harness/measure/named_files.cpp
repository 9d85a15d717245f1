#include "harness/measure/named_files.h"

#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/storage/file.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

void note(const std::string& named_by, const std::filesystem::path& path, Result& result) {
  if (path.empty()) return;
  if (std::ranges::find(result.named_files, named_by, &NamedFile::named_by) != result.named_files.end()) return;
  try {
    const std::string text = read_text(path);
    result.named_files.push_back({.named_by = named_by, .path = path, .hash = XXH3_64bits(text.data(), text.size())});
  } catch (const Error&) {
  }
}

void note_file_of_loader(const std::string& loader, Result& result) {
  const LoaderKind& kind = loader_named(loader);
  if (kind.external) note(loader, kind.origin.path, result);
}

void note_file_of_compute(const std::string& compute, Result& result) {
  const ComputeSpec spec = parse_compute(compute);
  note(compute, spec.kind->file, result);
  // The texts among parameters are names of files.
  for (std::size_t i = 0; i < spec.kind->parameters.size(); ++i) {
    if (spec.kind->parameters[i].text) note(compute, kept_text(spec.values[i]), result);
  }
}

}  // namespace

void note_named_files(Result& result) {
  for (const CellResult& cell : result.cells) {
    if (cell.cell.loader) note_file_of_loader(*cell.cell.loader, result);
    note_file_of_compute(cell.cell.compute, result);
  }
}

}  // namespace loadline
