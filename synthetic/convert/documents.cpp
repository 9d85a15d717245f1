// Writes the documents of a text in another form: a line each, JSON lines, or a file each.
#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "loaders/datasets/datasets.h"
#include "loaders/datasets/text.h"
#include "loaders/error.h"
#include "loaders/json/line.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"
#include "loaders/storage/new_file.h"
#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

TextReader whole_documents(const TextDataset& text) {
  return {text.documents(), text.is_json(), text.json_key(), true};
}

// The whole text of a document, valid until the next call with this reader.
std::string_view document_text(const TextDataset& text, TextReader& reader, SampleIndex document) {
  reader.read({.document = document, .first = 0, .end = text.documents().lengths()[document], .ends = true});
  try {
    return reader.text();
  } catch (const Error& error) {
    text.check_intact();  // if the file shrank, that is the real reason
    throw Error(fmt::format("cannot read {}: {}", text.documents().where(document), error.what()));
  }
}

// Passes the texts to `consume` in order until that returns false. Returns false then, and if a stop was requested.
using ConsumeText = std::function<bool(SampleIndex document, std::string_view text)>;
bool for_each_document(const TextDataset& text, const std::stop_token& stop, const ConsumeText& consume) {
  constexpr std::size_t kBytesToCheck = std::size_t{1} << 18;
  TextReader reader = whole_documents(text);
  std::size_t unchecked = 0;
  for (std::size_t i = 0; i < text.documents().lengths().size(); ++i) {
    const auto document = static_cast<SampleIndex>(i);
    if (stop.stop_requested() || !consume(document, document_text(text, reader, document))) return false;
    unchecked += text.documents().lengths()[i];
    if (unchecked < kBytesToCheck) continue;
    text.check_intact();
    unchecked = 0;
  }
  text.check_intact();
  return true;
}

void write_each(const ConvertJob& job, const std::function<void(SampleIndex document, std::string_view text)>& write) {
  constexpr std::size_t kDocumentsAShow = 64;
  const TextDataset& text = *job.from.as_text();
  const bool complete = for_each_document(text, job.stop, [&](SampleIndex document, std::string_view one) {
    write(document, one);
    const std::size_t done = std::size_t{document} + 1;
    if (done % kDocumentsAShow == 0 && job.progress) job.progress(done, text.info().text->documents);
    return true;
  });
  if (!complete) throw conversion_interrupted(job.shown);
}

Error document_refusal(const ConvertJob& job, SampleIndex document, std::string_view what) {
  return Error(fmt::format("cannot convert to {}: {} {}", job.shown.string(),
                           job.from.as_text()->documents().where(document), what));
}

// Readers skip empty lines and files.
void refuse_no_text(const ConvertJob& job, SampleIndex document, std::string_view text) {
  if (text.empty()) throw document_refusal(job, document, "is an empty document, which only json-lines can hold");
}

// One file that has a line of each document.
void write_by_line(const ConvertJob& job, const std::string& name,
                   const std::function<std::string(SampleIndex document, std::string_view text)>& line_of) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  AtomicFile file(job.to / name);
  std::string lines;
  write_each(job, [&](SampleIndex document, std::string_view text) {
    lines += line_of(document, text);
    lines += '\n';
    if (lines.size() < kAtOnce) return;
    file.write(lines);
    lines.clear();
  });
  file.write(lines);
  file.commit();
}

}  // namespace

std::string documents_obstacle(const Dataset& from) {
  return from.info().text ? "" : "documents of text only";
}

void write_lines(const ConvertJob& job) {
  write_by_line(job, "train.txt", [&](SampleIndex document, std::string_view text) {
    refuse_no_text(job, document, text);
    if (text.find('\n') != std::string_view::npos) {
      throw document_refusal(job, document, "has more than one line, which only json-lines and files can hold");
    }
    // Readers take \r\n for the end of a line.
    if (text.ends_with('\r')) {
      throw document_refusal(job, document, "ends in a carriage return, which only json-lines and files can hold");
    }
    return std::string(text);
  });
}

void write_json_lines(const ConvertJob& job) {
  write_by_line(job, "train.jsonl", [](SampleIndex /*document*/, std::string_view text) {
    return json_line_of(DatasetOptions{}.text_key, text);
  });
}

void write_text_files(const ConvertJob& job) {
  write_each(job, [&](SampleIndex document, std::string_view text) {
    refuse_no_text(job, document, text);
    write_new_file(job.to / fmt::format("{:010}.txt", document), std::as_bytes(std::span(text)));
  });
  wait_until_all_is_stored(job.to);
}

std::optional<bool> has_documents_of(const Dataset& there, const Dataset& from, const ConvertOptions& options,
                                     const std::stop_token& stop) {
  const TextDataset& copy = *there.as_text();
  const TextShape& shape = *copy.info().text;
  if (name(shape.stored_as) != options.format || shape.documents != from.info().text->documents) return false;
  TextReader reader = whole_documents(copy);
  const bool same = for_each_document(*from.as_text(), stop, [&](SampleIndex document, std::string_view wanted) {
    return document_text(copy, reader, document) == wanted;
  });
  if (stop.stop_requested()) return std::nullopt;
  copy.check_intact();
  return same;
}

}  // namespace loadline
