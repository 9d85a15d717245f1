#include "tests/support/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>
#include <string_view>

#include "tests/support/this_build.h"

namespace loadline::test {
namespace {

using nlohmann::json;

bool is_of_type(const json& value, const std::string& type) {
  if (type == "integer") {
    if (value.is_number_integer()) return true;
    return value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>();
  }
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "null") return value.is_null();
  throw std::runtime_error("schema: unknown type " + type);
}

// The number of UTF-8 characters.
std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  std::vector<std::string> run(const json& document) {
    check(root_, document, "");
    return std::move(found_);
  }

 private:
  bool passes(const json& schema, const json& value) const {
    Validator inner(root_);
    inner.check(schema, value, "");
    return inner.found_.empty();
  }

  void fail(const std::string& place, const std::string& what) {
    found_.push_back((place.empty() ? "/" : place) + ": " + what);
  }

  void want(bool ok, const std::string& place, const std::string& keyword, const json& wanted) {
    if (!ok) fail(place, keyword + " " + wanted.dump());
  }

  void check(const json& schema, const json& value, const std::string& place) {
    if (schema.is_boolean()) return want(schema.get<bool>(), place, "want nothing here, by", schema);
    for (const auto& [keyword, rule] : schema.items()) check_keyword(schema, keyword, rule, value, place);
  }

  void check_keyword(const json& schema, const std::string& keyword, const json& rule, const json& value,
                     const std::string& place) {
    static const std::set<std::string> kSilent{"$schema", "$id", "$defs", "title", "description", "then", "else"};
    if (kSilent.contains(keyword)) return;
    if (keyword == "$ref") return check(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), value, place);
    if (keyword == "if") return check_if(schema, rule, value, place);
    if (keyword == "allOf") {
      for (const json& one : rule) check(one, value, place);
      return;
    }
    if (keyword == "anyOf" || keyword == "oneOf") return check_choice(keyword, rule, value, place);
    if (keyword == "type") return check_type(rule, value, place);
    if (keyword == "enum") return want(std::ranges::find(rule, value) != rule.end(), place, "want one of", rule);
    if (keyword == "const") return want(value == rule, place, "want", rule);
    if (check_number(keyword, rule, value, place) || check_string(keyword, rule, value, place) ||
        check_array(keyword, rule, value, place) || check_object(schema, keyword, rule, value, place)) {
      return;
    }
    throw std::runtime_error("schema: unknown keyword " + keyword);
  }

  void check_if(const json& schema, const json& rule, const json& value, const std::string& place) {
    const char* branch = passes(rule, value) ? "then" : "else";
    if (schema.contains(branch)) check(schema[branch], value, place);
  }

  void check_choice(const std::string& keyword, const json& rule, const json& value, const std::string& place) {
    const auto fitting = std::ranges::count_if(rule, [&](const json& one) { return passes(one, value); });
    if (keyword == "anyOf" ? fitting > 0 : fitting == 1) return;
    // The fault by the likeliest choice says more than that no choice fits.
    for (const json& one : rule) {
      if (one.contains("type") && one["type"] == "null") continue;
      if (rule.size() <= 2) return check(one, value, place);
    }
    fail(place, keyword + " of " + std::to_string(rule.size()) + " does not fit " + value.dump().substr(0, 100));
  }

  void check_type(const json& rule, const json& value, const std::string& place) {
    const bool fits = rule.is_array()
                          ? std::ranges::any_of(rule, [&](const json& one) { return is_of_type(value, one); })
                          : is_of_type(value, rule);
    if (!fits) fail(place, "want type " + rule.dump() + ", got " + value.dump().substr(0, 100));
  }

  // Each of these returns whether it knows the keyword.
  bool check_number(const std::string& keyword, const json& rule, const json& value, const std::string& place) {
    if (keyword != "minimum" && keyword != "maximum" && keyword != "exclusiveMinimum") return false;
    if (!value.is_number()) return true;
    const double number = value.get<double>();
    const double limit = rule.get<double>();
    want(keyword == "minimum"            ? number >= limit
         : keyword == "exclusiveMinimum" ? number > limit
                                         : number <= limit,
         place, keyword, rule);
    return true;
  }

  bool check_string(const std::string& keyword, const json& rule, const json& value, const std::string& place) {
    if (keyword != "pattern" && keyword != "minLength") return false;
    if (!value.is_string()) return true;
    const auto text = value.get<std::string>();
    if (keyword == "minLength") want(length_of(text) >= rule.get<std::size_t>(), place, keyword, rule);
    if (keyword == "pattern") want(std::regex_search(text, std::regex(rule.get<std::string>())), place, keyword, rule);
    return true;
  }

  bool check_array(const std::string& keyword, const json& rule, const json& value, const std::string& place) {
    if (keyword != "items" && keyword != "minItems" && keyword != "maxItems" && keyword != "uniqueItems") return false;
    if (!value.is_array()) return true;
    if (keyword == "minItems") want(value.size() >= rule.get<std::size_t>(), place, keyword, rule);
    if (keyword == "maxItems") want(value.size() <= rule.get<std::size_t>(), place, keyword, rule);
    if (keyword == "uniqueItems" && rule.get<bool>()) {
      want(std::set<json>(value.begin(), value.end()).size() == value.size(), place, keyword, rule);
    }
    if (keyword == "items") {
      for (std::size_t i = 0; i < value.size(); ++i) check(rule, value[i], place + "/" + std::to_string(i));
    }
    return true;
  }

  bool check_object(const json& schema, const std::string& keyword, const json& rule, const json& value,
                    const std::string& place) {
    if (keyword != "required" && keyword != "properties" && keyword != "additionalProperties") return false;
    if (!value.is_object()) return true;
    if (keyword == "required") {
      for (const json& name : rule) {
        if (!value.contains(name.get<std::string>())) fail(place, "lacks " + name.dump());
      }
    }
    for (const auto& [name, member] : value.items()) {
      const bool named = schema.contains("properties") && schema["properties"].contains(name);
      if ((keyword == "properties" && named) || (keyword == "additionalProperties" && !named)) {
        check(named ? rule[name] : rule, member, fmt::format("{}/{}", place, name));
      }
    }
    return true;
  }

  const json& root_;
  std::vector<std::string> found_;
};

json schema_named(const std::string& name) {
  std::ifstream in(std::filesystem::path(kRepository) / "results" / name);
  return json::parse(in);
}

// The schema of training runs, with the definitions of results to which it refers.
json training_schema(const json& of_results) {
  const std::string there = of_results.at("$id").get<std::string>() + "#";
  std::string text = schema_named("train_schema.json").dump();
  for (std::size_t at = text.find(there); at != std::string::npos; at = text.find(there)) {
    text.replace(at, there.size(), "#");
  }
  json schema = json::parse(text);
  for (const auto& [name, definition] : of_results.at("$defs").items()) schema["$defs"].emplace(name, definition);
  return schema;
}

}  // namespace

std::vector<std::string> violations(const json& schema, const json& document) {
  return Validator(schema).run(document);
}

std::vector<std::string> violations_of_result(const std::string& text) {
  const auto begin = text.find_first_not_of(" \n");
  if (begin == std::string::npos || text[begin] != '{') return {};
  // A trace, which names no schema, may take seconds to parse.
  if (text.find("_version\"") == std::string::npos) return {};
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return {};
  static const json kResult = schema_named("schema.json");
  static const json kComparison = schema_named("diff_schema.json");
  static const json kScaling = schema_named("scaling_schema.json");
  static const json kTraining = training_schema(kResult);
  if (document.contains("training_version")) return violations(kTraining, document);
  if (document.contains("schema_version")) return violations(kResult, document);
  if (document.contains("diff_schema_version")) return violations(kComparison, document);
  if (document.contains("scaling_schema_version")) return violations(kScaling, document);
  return {};
}

void expect_valid_result(const std::string& text, const std::string& name) {
  for (const std::string& violation : violations_of_result(text)) ADD_FAILURE() << name << ": " << violation;
}

}  // namespace loadline::test
