#include "loaders/storage/hdf5_sources.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "loaders/error.h"
#include "loaders/storage/file_stamp.h"
#include "loaders/system/environment.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

static_assert(std::is_same_v<hid_t, Hdf5Id> && std::is_same_v<herr_t, int>);

// Virtual datasets may be nested, even in a circle.
constexpr int kDeepestSources = 8;

// The dataset whose sources are searched.
struct Asked {
  const fs::path& path;
  const std::string& name;

  Error refusal(const std::string& why, const char* then = "would read zeros in its place") const {
    return Error(fmt::format("cannot open {}: dataset '{}': {}; the HDF5 library {}", path.string(), name, why, then));
  }
};

struct Found {
  std::vector<fs::path> files;

  void add(const fs::path& file) {
    if (std::ranges::find(files, file) == files.end()) files.push_back(file);
  }
};

// Calls get(nullptr, 0) for the length of a text of the library, then get() again for the text.
template <typename Get>
std::string text_of(const Get& get) {
  const ssize_t size = get(nullptr, 0);
  if (size <= 0) return "";
  std::string text(static_cast<std::size_t>(size), '\0');
  get(text.data(), text.size() + 1);
  return text;
}

// ---- external

// Where the library looks for an external file: below the prefix that HDF5_EXTFILE_PREFIX sets, and otherwise in the
// working directory. Unlike for sources of virtual datasets, it looks nowhere else.
fs::path external_place_of(const std::string& name, hid_t dataset) {
  const Hdf5Handle access(H5Dget_access_plist(dataset), H5Pclose);
  const std::string prefix =
      text_of([&](char* out, std::size_t size) { return H5Pget_efile_prefix(access.id(), out, size); });
  return prefix.empty() ? fs::path(name) : fs::path(prefix) / name;
}

void find_external(hid_t dataset, hid_t properties, const Asked& asked, Found& found) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  // Does not wrap, whatever the file claims.
  double left = static_cast<double>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space.id()), 0)) *
                static_cast<double>(H5Tget_size(type.id()));
  const int count = H5Pget_external_count(properties);
  for (int i = 0; i < count && left > 0; ++i) {
    std::string name(4096, '\0');
    off_t offset = 0;
    hsize_t bytes = 0;
    if (H5Pget_external(properties, static_cast<unsigned>(i), name.size(), name.data(), &offset, &bytes) < 0) return;
    name.resize(name.find('\0') == std::string::npos ? name.size() : name.find('\0'));
    const fs::path file = external_place_of(name, dataset);
    const double part = bytes == H5F_UNLIMITED ? left : std::min(left, static_cast<double>(bytes));
    const auto stamp = stamp_of(file);
    if (!stamp) {
      throw asked.refusal(fmt::format("the file {} with its values is missing", fs::absolute(file).string()),
                          "looks for it nowhere else");
    }
    if (static_cast<double>(stamp->bytes) < static_cast<double>(offset) + part) {
      throw asked.refusal(
          fmt::format("the file {} with its values ends at byte {}, before they do", file.string(), stamp->bytes));
    }
    found.add(file);
    left -= part;
  }
}

// ---- virtual

// Where the library looks for a source named in the file `beside`, one place after the other, as H5F_prefix_open_file()
// does: below each directory of the environment's list, and below the whole list, in which alone "${ORIGIN}" is the
// directory of `beside`; then in that directory, in the working directory, and where a link `beside` leads to. An
// absolute name that does not exist is looked for by its last part.
std::vector<fs::path> source_places(const fs::path& name, const fs::path& beside) {
  std::vector<fs::path> places;
  if (name.is_absolute()) places.push_back(name);
  const fs::path last = name.is_absolute() ? name.filename() : name;
  if (const auto list = variable("HDF5_VDS_PREFIX")) {
    std::istringstream text(*list);
    for (std::string directory; std::getline(text, directory, ':');) {
      if (!directory.empty()) places.push_back(fs::path(directory) / last);
    }
    constexpr std::string_view kOrigin = "${ORIGIN}";
    const bool of_origin = list->starts_with(kOrigin);
    const std::string origin = (fs::absolute(beside).parent_path() / "").string();
    places.push_back(fs::path(of_origin ? origin + list->substr(kOrigin.size()) : *list) / last);
  }
  places.push_back(beside.parent_path() / last);
  places.push_back(last);
  std::error_code ignored;
  places.push_back(fs::weakly_canonical(beside, ignored).parent_path() / last);
  return places;
}

// The first of them that exists; otherwise the one where the user most likely expects it.
fs::path source_place_of(const fs::path& name, const fs::path& beside) {
  const std::vector<fs::path> places = source_places(name, beside);
  std::error_code ignored;
  const auto found = std::ranges::find_if(places, [&](const fs::path& place) { return fs::exists(place, ignored); });
  if (found != places.end()) return *found;
  return name.is_absolute() ? name : beside.parent_path() / name;
}

// The name of the first of a series: "%b" counts its blocks, "%%" is a percent sign.
std::string first_of_series(const std::string& pattern) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool special =
        pattern[i] == '%' && i + 1 < pattern.size() && (pattern[i + 1] == 'b' || pattern[i + 1] == '%');
    name += !special ? pattern[i] : pattern[i + 1] == 'b' ? '0' : '%';
    if (special) ++i;
  }
  return name;
}

void find_sources(hid_t file, hid_t dataset, const fs::path& path, const Asked& asked, int depth, Found& found);

void find_source(hid_t file, const fs::path& path, const std::string& source, const std::string& name,
                 const Asked& asked, int depth, Found& found) {
  const bool same = source == ".";
  const fs::path place = same ? path : source_place_of(source, path);
  Hdf5Handle other;
  if (!same) {
    if (!stamp_of(place)) throw asked.refusal(fmt::format("its source {} is missing", place.string()));
    other = Hdf5Handle(H5Fopen(place.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!other.valid()) throw asked.refusal(fmt::format("its source {} cannot be read as HDF5", place.string()));
    found.add(place);
  }
  const hid_t holder = same ? file : other.id();
  const Hdf5Handle its_dataset(H5Dopen2(holder, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!its_dataset.valid()) {
    throw asked.refusal(fmt::format("its source '{}' is missing in {}", name, place.string()));
  }
  find_sources(holder, its_dataset.id(), place, asked, depth + 1, found);
}

void find_sources(hid_t file, hid_t dataset, const fs::path& path, const Asked& asked, int depth, Found& found) {
  if (depth > kDeepestSources) {
    throw asked.refusal(fmt::format("its sources are virtual datasets nested more than {} deep", kDeepestSources));
  }
  const Hdf5Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  if (layout == H5D_CONTIGUOUS) return find_external(dataset, properties.id(), asked, found);
  if (layout != H5D_VIRTUAL) return;
  std::size_t count = 0;
  if (H5Pget_virtual_count(properties.id(), &count) < 0) return;
  if (count == 0) throw asked.refusal("it is virtual and has no source");
  std::string last;
  for (std::size_t i = 0; i < count; ++i) {
    const auto source =
        text_of([&](char* out, std::size_t size) { return H5Pget_virtual_filename(properties.id(), i, out, size); });
    const auto name =
        text_of([&](char* out, std::size_t size) { return H5Pget_virtual_dsetname(properties.id(), i, out, size); });
    // Usually there is one mapping per sample, all of the same source.
    std::string key = source;
    key.append(1, '\n').append(name);
    if (key == last) continue;
    last = key;
    find_source(file, path, first_of_series(source), first_of_series(name), asked, depth, found);
  }
}

}  // namespace

std::vector<fs::path> hdf5_sources(Hdf5Id file, Hdf5Id dataset, const fs::path& path, const std::string& name) {
  Found found;
  find_sources(file, dataset, path, {.path = path, .name = name}, 0, found);
  return found.files;
}

}  // namespace loadline
