#include "harness/file/document_status.h"

#include "loaders/error.h"
#include "loaders/json/document.h"

namespace loadline {
namespace {

bool has_whole(JsonReader& top, std::string_view key) {
  const auto found = top.find(key);
  return found && found->kind() == JsonKind::kWhole;
}

std::string_view status_text(JsonReader& top, std::string_view key) {
  const auto found = top.find(key);
  return found && found->kind() == JsonKind::kText ? found->as_text() : std::string_view();
}

// As Result::resumable(): neither a search, nor the loop of a Python program, nor a merge can go on where it stopped.
bool can_go_on(JsonReader& top) {
  if (const auto loop = top.find("loop"); loop && loop->kind() == JsonKind::kObject) return false;
  if (const auto runs = top.find("merged_from"); runs && runs->kind() == JsonKind::kList && runs->items() > 0)
    return false;
  auto config = top.find("config");
  return !config || config->kind() != JsonKind::kObject || status_text(*config, "find").empty();
}

}  // namespace

std::optional<DocumentStatus> document_status(std::string_view text) {
  // Data may be long, and is seldom JSON.
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return std::nullopt;
  try {
    const JsonDocument document(text, "");
    JsonReader top(document);
    if (top.kind() != JsonKind::kObject) return std::nullopt;
    // Written only once everything was measured.
    if (has_whole(top, "noise_schema_version") || has_whole(top, "scaling_schema_version"))
      return DocumentStatus{.is_result = false, .complete = true};
    const bool is_result = has_whole(top, "schema_version");
    if ((!is_result && !has_whole(top, "training_version")) || status_text(top, "run_id").empty()) return std::nullopt;
    const std::string_view status = status_text(top, "status");
    if (status != "complete" && status != "partial") return std::nullopt;
    const bool complete = status == "complete";
    return DocumentStatus{
        .is_result = is_result, .complete = complete, .resumable = is_result && !complete && can_go_on(top)};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace loadline
