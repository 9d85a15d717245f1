#include "harness/cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "harness/cli/streams.h"
#include "harness/show/paint.h"
#include "harness/show/wrap.h"
#include "loaders/names.h"
#include "loaders/system/environment.h"

namespace loadline {
namespace {

struct ColourRow {
  std::string_view name;
  Colours colours;
};

constexpr std::array kColourRows{ColourRow{"auto", Colours::kAuto}, ColourRow{"always", Colours::kAlways},
                                 ColourRow{"never", Colours::kNever}};

// A narrower table is unreadable in any form.
constexpr std::size_t kFewestColumns = 40;
constexpr std::size_t kUsualColumns = 80;

// nullopt if $COLUMNS is not a number.
std::optional<std::size_t> asked_columns() {
  const std::string asked = variable("COLUMNS").value_or("");
  std::size_t columns = 0;
  const auto [end, status] = std::from_chars(asked.data(), asked.data() + asked.size(), columns);
  if (status != std::errc{} || end != asked.data() + asked.size() || columns == 0) return std::nullopt;
  return columns;
}

}  // namespace

std::vector<std::string_view> colour_names() {
  return names_of(kColourRows);
}

Colours colours_named(std::string_view name) {
  return row_named(kColourRows, "--color", name).colours;
}

std::optional<std::size_t> terminal_columns(std::FILE* stream) {
  const int descriptor = ::fileno(stream);
  if (::isatty(descriptor) != 1) return std::nullopt;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

std::size_t width_of(std::FILE* stream) {
  return std::max(asked_columns().value_or(terminal_columns(stream).value_or(kUnlimited)), kFewestColumns);
}

std::size_t help_width(std::FILE* stream) {
  return asked_columns() ? width_of(stream) : std::min(width_of(stream), kUsualColumns);
}

bool shows_colours(std::FILE* stream, Colours colours) {
  if (colours != Colours::kAuto) return colours == Colours::kAlways;
  return !variable("NO_COLOR") && variable("TERM") != "dumb" && terminal_columns(stream).has_value();
}

void put_text(std::FILE* stream, std::string_view text, Colours colours) {
  const std::string lines = wrapped(text, width_of(stream));
  put(stream, shows_colours(stream, colours) ? painted(lines) : lines);
}

}  // namespace loadline
