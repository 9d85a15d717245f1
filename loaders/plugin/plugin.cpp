#include "loaders/plugin/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "loaders/error.h"
#include "loaders/foreign_call.h"
#include "loaders/plugin/plugin_feed.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

std::string_view path_of(std::string_view word) {
  return word.substr(0, word.find(':'));
}

Error plugin_refusal(std::string_view word, std::string_view why) {
  return Error(fmt::format("plug-in {}: {}", word, why));
}

// "file too short" of "./a.so: file too short".
std::string without_path(std::string text, const std::string& path) {
  if (text.starts_with(path + ": ")) text.erase(0, path.size() + 2);
  return text;
}

void* load(std::string_view word, const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found) {
    throw plugin_refusal(word, fmt::format("there is no file {}", path.string()));
  }
  if (failed) throw plugin_refusal(word, fmt::format("cannot open {}: {}", path.string(), failed.message()));
  if (fs::is_directory(status)) throw plugin_refusal(word, "it is a directory, not a shared library");
  // A name without a slash would be searched among the system's libraries.
  const std::string absolute = fs::absolute(path).string();
  // RTLD_NOW: a missing function fails here rather than in the middle of a trial.
  void* library = nullptr;
  {
    // An exception that a constructor of a static object throws does not get through dlopen: it ends the process, like
    // a crash.
    const ForeignCall call("the loading", kept_for_ever(fmt::format("plug-in {}", word)));
    library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (library != nullptr) return library;
  const char* why = dlerror();
  throw plugin_refusal(word, fmt::format("it cannot be loaded as a shared library: {}",
                                         without_path(why != nullptr ? why : "unknown reason", absolute)));
}

const loadline_plugin_table* table_of(std::string_view word, void* library) {
  using Entry = const loadline_plugin_table* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "loadline_plugin"));
  if (entry == nullptr)
    throw plugin_refusal(word, "it has no function loadline_plugin(), which loadline/plugin.h requires");
  const loadline_plugin_table* table = nullptr;
  const char* const owner = kept_for_ever(fmt::format("plug-in {}", word));
  try {
    const ForeignCall call("loadline_plugin()", owner);
    table = entry();
  } catch (...) {
    throw plugin_refusal(word, text_of_exception("loadline_plugin()"));
  }
  if (table == nullptr) throw plugin_refusal(word, "loadline_plugin() returned NULL");
  // For another version, no other field may be read.
  if (table->version != LOADLINE_PLUGIN_VERSION) {
    throw plugin_refusal(word, fmt::format("it was made for version {} of loadline/plugin.h, but this loadline has "
                                           "version {}; compile it with this loadline's header",
                                           table->version, LOADLINE_PLUGIN_VERSION));
  }
  const std::string_view missing = table->open == nullptr    ? "open"
                                   : table->next == nullptr  ? "next"
                                   : table->close == nullptr ? "close"
                                                             : "";
  if (!missing.empty()) throw plugin_refusal(word, fmt::format("its table has no function {}", missing));
  return table;
}

// Empty for NULL. What a plug-in says about itself is shown on the terminal.
std::string said(const char* text) {
  return text != nullptr ? printable(text) : std::string();
}

}  // namespace

bool names_plugin(std::string_view word) {
  const std::string_view path = path_of(word);
  return path.ends_with(".so") || (path.find('/') != std::string_view::npos && !path.ends_with(".py"));
}

PluginWord parse_plugin(std::string_view word) {
  PluginWord parsed{.path = std::string(path_of(word)), .options = {}};
  if (parsed.path.size() == word.size()) return parsed;
  std::string_view rest = word.substr(parsed.path.size() + 1);
  for (;;) {
    const auto comma = rest.find(',');
    const std::string_view option = rest.substr(0, comma);
    const auto equals = option.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      throw usage_error(fmt::format("plug-in {}: option '{}': want key=value", parsed.path, option));
    }
    parsed.options.emplace_back(option.substr(0, equals), option.substr(equals + 1));
    if (comma == std::string_view::npos) return parsed;
    rest = rest.substr(comma + 1);
  }
}

LoaderKind open_plugin(std::string_view word) {
  PluginWord parsed = parse_plugin(word);
  const loadline_plugin_table* table = table_of(word, load(word, parsed.path));
  std::error_code failed;
  const fs::path path = fs::canonical(parsed.path, failed);
  const std::string own_name = said(table->name);
  const std::string file_name = printable(fs::path(parsed.path).filename().string());
  LoaderKind kind{.name = std::string(word),
                  .summary = fmt::format("plug-in {}", own_name.empty() ? file_name : own_name),
                  .has_workers = table->has_workers != 0};
  kind.external = true;
  kind.origin = {
      .name = own_name, .version = said(table->plugin_version), .path = failed ? parsed.path : path.string()};
  kind.hang = Hang::kForEver;
  kind.engine = [plugin = Plugin{.word = std::string(word), .options = std::move(parsed.options), .table = table}](
                    const LoaderKind& /*kind*/, const Assembler& assembler, const Sampler& sampler,
                    const LoaderOptions& options) { return make_plugin_feed(plugin, assembler, sampler, options); };
  return kind;
}

}  // namespace loadline
