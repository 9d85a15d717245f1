// Records and their JSON: the fields of a struct are listed once, in the order of the file, for writing and for
// reading.
//
//   void fields(auto& json, Record<StageSummary> auto& stage) {
//     json("name", stage.name);
//     json("hits", stage.hits);
//   }
//
// A RecordWriter makes an object from a const struct. A RecordReader fills a struct from an object, or throws Error
// that names the file, the place in it, what is wanted and what was found. fields() is found by argument-dependent
// lookup, so it must not be in an unnamed namespace.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "loaders/error.h"
#include "loaders/json/document.h"
#include "loaders/printable.h"

namespace loadline {

using Json = nlohmann::ordered_json;

// Indented by `indent` spaces per level; -1: on one line. JSON must be UTF-8 although file names and arguments need
// not be, so invalid bytes are replaced.
inline std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

// `Struct`, const or not.
template <typename T, typename Struct>
concept Record = std::same_as<std::remove_const_t<T>, Struct>;

// Numbers that are not finite become null, as does an optional without a value.
template <typename T>
Json json_of(const T& value);

// The inverse. Throws Error for any other kind of value.
template <typename T>
void read_value(const JsonReader& from, T& value);

// The form of what json_of() makes of a type, for tools: an object with "type" as in JSON Schema and, where they
// apply, "null" (it may be null), "fields" of an object, by name, and "items" of a list. A field may also have
// "late", "above_zero", and "words", its possible values. Options and settings have more (config.h, cells.h).
template <typename T>
Json form_of();

// The members of an object, in the order of the calls. It writes either a record or, when outlining, the form of any
// record of the type; then neither values nor the functions that make them matter.
class RecordWriter {
 public:
  RecordWriter() = default;
  static RecordWriter outlining() {
    RecordWriter writer;
    writer.outlines_ = true;
    return writer;
  }
  Json take() {
    if (!outlines_) return std::move(json_);
    Json form = {{"type", "object"}};
    form["fields"] = std::move(json_);
    return form;
  }

  template <typename T>
  void operator()(std::string_view key, const T& value) {
    if (outlines_) return outline<T>(key);
    json_[std::string(key)] = json_of(value);
  }

  // A field whose type only a table knows: form() returns its form, make() its JSON.
  template <typename Form, typename Make>
  void of_table(std::string_view key, Form form, Make make) {
    json_[std::string(key)] = outlines_ ? form() : make();
  }

  // The possible values of a field that is a word.
  void words(std::string_view key, const std::vector<std::string_view>& words) {
    if (outlines_) json_[std::string(key)]["words"] = words;
  }

  // A field that has existed with its present meaning since this version of the schema. A file of an earlier version
  // leaves it at its default, whatever the file has there.
  void since(int /*version*/, std::string_view key, const auto& value) { (*this)(key, value); }

  // A field that was added late to this version of the schema: files may lack it, and then it stays at its default.
  // Written only where it has something to say.
  void late(std::string_view key, bool value) {
    if (outlines_) return outline<bool>(key, "late");
    if (value) (*this)(key, value);
  }
  template <typename T>
  void late(std::string_view key, const std::optional<T>& value) {
    if (outlines_) return outline<T>(key, "late");
    if (value) (*this)(key, *value);
  }
  template <typename T>
  void late(std::string_view key, const std::vector<T>& list) {
    if (outlines_) return outline<std::vector<T>>(key, "late");
    if (!list.empty()) (*this)(key, list);
  }
  // The same for a list that follows from other fields.
  template <typename Make>
  void late_list(std::string_view key, Make make) {
    if (outlines_) return outline<decltype(make())>(key, "late");
    if (const auto list = make(); !list.empty()) (*this)(key, list);
  }

  // The same for anything else that follows from other fields.
  template <typename T>
  void late_derived(std::string_view key, const std::optional<T>& value) {
    late(key, value);
  }

  // A number that is above 0.
  template <typename T>
  void positive(std::string_view key, const T& value) {
    if (outlines_) return outline<T>(key, "above_zero");
    (*this)(key, value);
  }
  // A time that a clock measured.
  void measured(std::string_view key, double value) { positive(key, value); }

  // A field with another value in the file: to(field) there, from(value) here. from() throws Error that says what is
  // wanted.
  template <typename T, typename To, typename From>
  void converted(std::string_view key, const T& value, To to, From /*from*/) {
    if (outlines_) return outline<std::decay_t<decltype(to(value))>>(key);
    (*this)(key, to(value));
  }

  // The same for a field that was added late.
  template <typename T, typename To, typename From>
  void late_converted(std::string_view key, const std::optional<T>& value, To to, From /*from*/) {
    if (outlines_) return outline<std::decay_t<decltype(to(*value))>>(key, "late");
    if (value) (*this)(key, to(*value));
  }

  // A field that follows from others, so it is only written, with the value of make().
  template <typename Make>
  void derived(std::string_view key, Make make) {
    if (outlines_) return outline<std::decay_t<decltype(make())>>(key);
    (*this)(key, make());
  }

  // The same for a rate, which must be above 0 and finite.
  template <typename Make>
  void rate(std::string_view key, Make make) {
    if (outlines_) return outline<std::decay_t<decltype(make())>>(key, "above_zero");
    (*this)(key, make());
  }

  // An object that exists only in the file: its_fields(json).
  template <typename Fields>
  void object(std::string_view key, Fields its_fields) {
    RecordWriter inner = same();
    its_fields(inner);
    json_[std::string(key)] = inner.take();
  }
  // The same where the object may be null.
  template <typename Fields>
  void object_or_null(std::string_view key, bool is_there, Fields its_fields) {
    if (!outlines_ && !is_there) {
      json_[std::string(key)] = nullptr;
      return;
    }
    object(key, its_fields);
    if (outlines_) json_[std::string(key)]["null"] = true;
  }

  // Records whose fields need further arguments: its_fields(json, record), or its_fields(json, record, index).
  template <typename T, typename Fields>
  void list(std::string_view key, const std::vector<T>& records, Fields its_fields) {
    if (outlines_) {
      RecordWriter inner = outlining();
      call(its_fields, inner, T{}, 0);
      json_[std::string(key)] = {{"type", "array"}, {"items", inner.take()}};
      return;
    }
    Json list = Json::array();
    for (std::size_t i = 0; i < records.size(); ++i) {
      RecordWriter inner;
      call(its_fields, inner, records[i], i);
      list.push_back(inner.take());
    }
    json_[std::string(key)] = std::move(list);
  }

 private:
  template <typename T, typename Fields>
  static void call(Fields& its_fields, RecordWriter& inner, const T& record, std::size_t index) {
    if constexpr (std::is_invocable_v<Fields&, RecordWriter&, const T&, std::size_t>) {
      its_fields(inner, record, index);
    } else {
      its_fields(inner, record);
    }
  }

  RecordWriter same() const { return outlines_ ? outlining() : RecordWriter(); }

  template <typename T>
  void outline(std::string_view key, const char* mark = nullptr) {
    Json form = form_of<T>();
    if (mark != nullptr) form[mark] = true;
    json_[std::string(key)] = std::move(form);
  }

  Json json_ = Json::object();
  bool outlines_ = false;
};

// The same calls for reading. Borrows the reader of an object.
class RecordReader {
 public:
  explicit RecordReader(JsonReader& object) : object_(object) {}

  JsonReader& object() { return object_; }

  void operator()(std::string_view key, auto& value) { read_value(object_.member(key), value); }

  void since(int version, std::string_view key, auto& value) {
    if (!object_.written_before(version)) (*this)(key, value);
  }

  void late(std::string_view key, auto& value) {
    if (const auto member = object_.find(key)) read_value(*member, value);
  }

  void words(std::string_view /*key*/, const std::vector<std::string_view>& /*words*/) {}

  template <typename Make>
  void late_list(std::string_view /*key*/, Make /*make*/) {}
  template <typename T>
  void late_derived(std::string_view /*key*/, const std::optional<T>& /*value*/) {}

  void positive(std::string_view key, auto& value) {
    const JsonReader member = object_.member(key);
    read_value(member, value);
    if (value <= 0) throw member.refusal("a number above 0");
  }
  void measured(std::string_view key, double& value) {
    positive(key, value);
    if (value < 1e-9) throw object_.member(key).refusal("at least 1e-09 seconds, which is as much as a clock can tell");
  }

  template <typename T, typename To, typename From>
  void converted(std::string_view key, T& value, To to, From from) {
    convert<std::decay_t<decltype(to(std::as_const(value)))>>(object_.member(key), value, from);
  }

  template <typename T, typename To, typename From>
  void late_converted(std::string_view key, std::optional<T>& value, To to, From from) {
    if (const auto member = object_.find(key)) convert<std::decay_t<decltype(to(*value))>>(*member, value, from);
  }

  template <typename Make>
  void derived(std::string_view /*key*/, Make /*make*/) {}

  template <typename Make>
  void rate(std::string_view key, Make make) {
    const double value = make();
    if (value > 0 && std::isfinite(value)) return;
    throw object_.error(fmt::format("want a {} above 0, the other fields make it {}", key, value));
  }

  template <typename Fields>
  void object(std::string_view key, Fields its_fields) {
    JsonReader member = object_.member(key);
    RecordReader inner(member);
    its_fields(inner);
  }

  template <typename T, typename Fields>
  void list(std::string_view key, std::vector<T>& records, Fields its_fields) {
    const JsonReader member = object_.member(key);
    records.reserve(member.items());
    member.each_item([&](JsonReader& item, std::size_t /*index*/) {
      RecordReader inner(item);
      its_fields(inner, records.emplace_back());
    });
  }

 private:
  template <typename Stored, typename From>
  static void convert(const JsonReader& member, auto& value, From& from) {
    Stored stored{};
    read_value(member, stored);
    try {
      value = from(stored);
    } catch (const Error& error) {
      throw member.error(error.what());
    }
  }

  JsonReader& object_;
};

template <typename T>
Json json_of(const T& value) {
  if constexpr (std::is_same_v<T, std::monostate>) {
    return nullptr;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else if constexpr (IsOptional<T>::value) {
    return value ? json_of(*value) : Json(nullptr);
  } else if constexpr (IsVector<T>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(json_of(item));
    return list;
  } else if constexpr (requires(RecordWriter & json) { fields(json, value); }) {
    RecordWriter json;
    fields(json, value);
    return json.take();
  } else {
    return value;
  }
}

template <typename T>
Json form_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_integral_v<T>) {
    return {{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", "number"}};
  } else if constexpr (IsOptional<T>::value) {
    Json form = form_of<typename T::value_type>();
    form["null"] = true;
    return form;
  } else if constexpr (IsVector<T>::value) {
    return {{"type", "array"}, {"items", form_of<typename T::value_type>()}};
  } else if constexpr (requires(RecordWriter & json, const T& value) { fields(json, value); }) {
    RecordWriter json = RecordWriter::outlining();
    const T any{};
    fields(json, any);
    return json.take();
  } else if constexpr (std::is_same_v<T, std::filesystem::path> || std::is_convertible_v<T, std::string_view>) {
    return {{"type", "string"}};
  } else {
    return Json::object();  // of what has a form of its own, Json among it
  }
}

template <typename T>
void read_value(const JsonReader& from, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = from.as_bool();
  } else if constexpr (std::is_floating_point_v<T>) {
    value = from.as_number();
  } else if constexpr (std::is_unsigned_v<T>) {
    value = static_cast<T>(from.as_whole(std::numeric_limits<T>::max()));
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = printable(from.as_text());  // it is for people, and may come from anybody
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    value = from.as_text();
  } else if constexpr (IsOptional<T>::value) {
    if (from.kind() == JsonKind::kNull) {
      value.reset();
    } else {
      read_value(from, value.emplace());
    }
  } else if constexpr (IsVector<T>::value) {
    value.clear();
    value.reserve(from.items());
    from.each_item([&](const JsonReader& item, std::size_t /*index*/) { read_value(item, value.emplace_back()); });
  } else {
    JsonReader object = from;
    RecordReader json(object);
    fields(json, value);
  }
}

}  // namespace loadline
