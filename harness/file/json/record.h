// Records and their JSON: the fields of a struct are listed once, in the order of the file, for writing and for
// reading.
//
//   void fields(auto& json, Record<StageSummary> auto& stage) {
//     json("name", stage.name);
//     json("hits", stage.hits);
//   }
//
// A RecordWriter makes an object of a const struct. A RecordReader fills a struct from one, or throws Error naming the
// file, the place in it, what is wanted and what is there instead. Found by argument-dependent lookup, so in no unnamed
// namespace.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

#include "loaders/json/document.h"
#include "loaders/names.h"
#include "loaders/printable.h"

namespace loadline {

using Json = nlohmann::ordered_json;

// Indented by so many spaces a level, or in one line: -1. File names and arguments need not be UTF-8, JSON must be.
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

// The inverse. Throws Error where something else stands there.
template <typename T>
void read_value(const JsonReader& from, T& value);

// The members of an object, in the order of the calls.
class RecordWriter {
 public:
  Json take() { return std::move(json_); }

  void operator()(std::string_view key, const auto& value) { json_[std::string(key)] = json_of(value); }

  // A field that has been there, and has meant what it means now, since this version of the schema. A file of an
  // earlier version leaves it at its default, whatever it has there.
  void since(int /*version*/, std::string_view key, const auto& value) { (*this)(key, value); }

  // A field that came late to this version of the schema: files may lack it, and then it stays at its default.
  // Written where there is something to say.
  void late(std::string_view key, bool value) {
    if (value) (*this)(key, value);
  }
  template <typename T>
  void late(std::string_view key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
  template <typename T>
  void late(std::string_view key, const std::vector<T>& list) {
    if (!list.empty()) (*this)(key, list);
  }
  // The same of a list that follows from other fields.
  template <typename Make>
  void late_list(std::string_view key, Make make) {
    if (const auto list = make(); !list.empty()) (*this)(key, list);
  }

  // The same of anything else that follows from other fields.
  template <typename T>
  void late_derived(std::string_view key, const std::optional<T>& value) {
    late(key, value);
  }

  // A number that is above 0.
  void positive(std::string_view key, const auto& value) { (*this)(key, value); }

  // A field that is another value in the file: to(field) there, from(value) here. The latter throws Error that says
  // what is wanted.
  template <typename T, typename To, typename From>
  void converted(std::string_view key, const T& value, To to, From /*from*/) {
    (*this)(key, to(value));
  }

  // What follows from other fields, and so is only written, as make() gives it.
  template <typename Make>
  void derived(std::string_view key, Make make) {
    (*this)(key, make());
  }

  // The same of a rate, which has to be above 0 and finite.
  template <typename Make>
  void rate(std::string_view key, Make make) {
    derived(key, make);
  }

  // An object in the file alone: its_fields(json).
  template <typename Fields>
  void object(std::string_view key, Fields its_fields) {
    RecordWriter inner;
    its_fields(inner);
    json_[std::string(key)] = inner.take();
  }

  // Records whose fields need to know more: its_fields(json, record).
  template <typename T, typename Fields>
  void list(std::string_view key, const std::vector<T>& records, Fields its_fields) {
    Json list = Json::array();
    for (const T& record : records) {
      RecordWriter inner;
      its_fields(inner, record);
      list.push_back(inner.take());
    }
    json_[std::string(key)] = std::move(list);
  }

 private:
  Json json_ = Json::object();
};

// The same calls the other way round. Borrows the reader of an object.
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

  template <typename Make>
  void late_list(std::string_view /*key*/, Make /*make*/) {}
  template <typename T>
  void late_derived(std::string_view /*key*/, const std::optional<T>& /*value*/) {}

  void positive(std::string_view key, auto& value) {
    const JsonReader member = object_.member(key);
    read_value(member, value);
    if (value <= 0) throw member.refusal("a number above 0");
  }

  template <typename T, typename To, typename From>
  void converted(std::string_view key, T& value, To to, From from) {
    const JsonReader member = object_.member(key);
    std::decay_t<decltype(to(std::as_const(value)))> stored{};
    read_value(member, stored);
    try {
      value = from(stored);
    } catch (const Error& error) {
      throw member.error(error.what());
    }
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

// 0, no text and the like, which stand for "none" and are null in the file.
template <typename T>
void none_as_null(auto& json, std::string_view key, T& value) {
  using Value = std::remove_const_t<T>;
  json.converted(
      key, value, [](const Value& known) { return known == Value() ? std::nullopt : std::optional<Value>(known); },
      [](const std::optional<Value>& stored) { return stored.value_or(Value()); });
}

// Throws Error that says what is wanted.
template <typename Enum, std::size_t N>
Enum enumerator_named(const std::array<Enum, N>& values, const std::string& stored) {
  const auto found = std::ranges::find(values, stored, [](Enum one) { return name(one); });
  if (found != values.end()) return *found;
  std::vector<std::string_view> names;
  for (const Enum one : values) names.push_back(name(one));
  throw Error(fmt::format("want one of {}, got '{}'", list_of(names), stored));
}

// An enumerator by its name().
template <typename Enum, std::size_t N>
void word(auto& json, std::string_view key, auto& value, const std::array<Enum, N>& values) {
  json.converted(
      key, value, [](Enum known) { return std::string(name(known)); },
      [&](const std::string& stored) { return enumerator_named(values, stored); });
}

// The same of a field that came late (RecordWriter::late()).
template <typename Enum, std::size_t N>
void late_word(RecordWriter& json, std::string_view key, const std::optional<Enum>& value,
               const std::array<Enum, N>& /*values*/) {
  if (value) json(key, std::string(name(*value)));
}
template <typename Enum, std::size_t N>
void late_word(RecordReader& json, std::string_view key, std::optional<Enum>& value,
               const std::array<Enum, N>& values) {
  const auto member = json.object().find(key);
  if (!member) return;
  std::string stored;
  read_value(*member, stored);
  try {
    value = enumerator_named(values, stored);
  } catch (const Error& error) {
    throw member->error(error.what());
  }
}

}  // namespace loadline
