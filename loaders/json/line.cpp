#include "loaders/json/line.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

// Called value by value; keeps only the one text.
class MemberFinder : public nlohmann::json_sax<nlohmann::json> {
 public:
  MemberFinder(std::string_view key, std::string& text) : wanted_(key), text_(text) {}

  bool is_object() const { return is_object_; }
  bool found() const { return found_; }
  bool found_other() const { return found_other_; }

  bool null() override { return other(); }
  bool boolean(bool /*value*/) override { return other(); }
  bool number_integer(number_integer_t /*value*/) override { return other(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return other(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return other(); }
  bool string(string_t& value) override {
    if (!is_wanted()) return true;
    found_ = true;
    text_.assign(value);
    return true;
  }
  bool binary(binary_t& /*value*/) override { return false; }  // no JSON text has any
  bool start_object(std::size_t /*elements*/) override {
    if (depth_ == 0) is_object_ = true;
    return open();
  }
  bool key(string_t& value) override {
    if (depth_ == 1) at_wanted_ = value == wanted_;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return open(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*exception*/) override {
    throw Error(fmt::format("it is not JSON: byte {} is not valid here", position));
  }

 private:
  bool is_wanted() const { return is_object_ && depth_ == 1 && at_wanted_; }
  bool other() {
    if (is_wanted()) {
      found_ = false;
      found_other_ = true;
    }
    return true;
  }
  bool open() {
    other();
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  std::string_view wanted_;
  std::string& text_;
  std::size_t depth_ = 0;
  bool is_object_ = false;  // the outermost value
  bool at_wanted_ = false;
  bool found_ = false;
  bool found_other_ = false;
};

}  // namespace

void read_json_text(std::string_view line, std::string_view key, std::string& text) {
  text.clear();
  MemberFinder finder(key, text);
  // The library reports errors by parse_error(), which throws.
  nlohmann::json::sax_parse(line.begin(), line.end(), &finder);
  if (!finder.is_object()) throw Error("it is not an object");
  if (finder.found()) return;
  throw Error(finder.found_other() ? fmt::format("its member {} is not a string", key)
                                   : fmt::format("it has no member {}, which --text-key names", key));
}

std::string json_line_of(std::string_view key, std::string_view text) {
  nlohmann::json object = nlohmann::json::object();
  object[std::string(key)] = text;
  return object.dump();
}

}  // namespace loadline
