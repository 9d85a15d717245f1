#include "harness/file/training_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "harness/file/json/cells.h"
#include "harness/file/json/config.h"
#include "harness/file/json/facts.h"
#include "harness/file/json/trials.h"
#include "harness/file/json/word_fields.h"
#include "loaders/storage/file.h"

namespace loadline {

// A score as in the file.
struct ScoreRecord {
  std::uint64_t samples = 0;
  std::optional<double> loss;
  std::optional<double> accuracy;  // none where the target is no label
};

void fields(auto& json, Record<ScoreRecord> auto& score) {
  json.positive("samples", score.samples);
  json("loss", score.loss);
  json("accuracy", score.accuracy);
}

namespace {

std::optional<ScoreRecord> record_of_score(const std::optional<Score>& score, bool classifies) {
  if (!score || score->samples == 0) return std::nullopt;
  const auto samples = static_cast<double>(score->samples);
  return ScoreRecord{
      .samples = score->samples,
      .loss = score->loss(),
      .accuracy = classifies ? std::optional(static_cast<double>(score->correct) / samples) : std::nullopt};
}

std::optional<Score> score_of_record(const std::optional<ScoreRecord>& record) {
  if (!record) return std::nullopt;
  const auto samples = static_cast<double>(record->samples);
  return Score{.samples = record->samples,
               .loss_sum = record->loss.value_or(std::nan("")) * samples,
               .correct = static_cast<std::uint64_t>(std::llround(record->accuracy.value_or(0) * samples))};
}

void training_epoch_fields(auto& json, auto& epoch, bool classifies) {
  json.positive("wall_seconds", epoch.wall_seconds);
  json.rate("samples_per_second", [&] { return epoch.samples_per_second(); });
  json("wait_seconds", epoch.wait_seconds);
  json("first_batch_seconds", epoch.first_batch_seconds);
  json.converted(
      "validation", epoch.validation, [&](const auto& score) { return record_of_score(score, classifies); },
      score_of_record);
  json("validation_seconds", epoch.validation_seconds);
  json.late("stages", epoch.stages);
  usage_fields(json, epoch.usage);
}

// The training's score comes first: the rate is made of it.
void epoch_of_training(RecordWriter& json, const EpochResult& epoch, bool classifies) {
  json("training", record_of_score(epoch.training, classifies));
  training_epoch_fields(json, epoch, classifies);
}

void epoch_of_training(RecordReader& json, EpochResult& epoch, bool& classifies) {
  std::optional<ScoreRecord> training;
  json("training", training);
  epoch.training = score_of_record(training).value_or(Score());
  classifies = classifies || (training && training->accuracy);
  training_epoch_fields(json, epoch, classifies);
}

void training_fields(auto& json, auto& result) {
  json.derived("training_version", [] { return kTrainingVersion; });
  json("run_id", result.run_id);
  word(json, "status", result.status, std::array{Status::kPartial, Status::kComplete});
  json("started", result.started);
  json("finished", result.finished);
  json("argv", result.arguments);
  json.derived("config", [&] { return result.options; });
  json("build", result.environment.build);
  json("machine", result.environment.machine);
  json("job", result.environment.job);
  json.object("cell", [&](auto& inner) { setting_fields(inner, result.cell.cell); });
  json("samples", result.dataset.samples);
  json.late("staged", result.staged);
  json("compute_description", result.compute_description);
  json("open_seconds", result.open_seconds);
  json("loader_setup_seconds", result.loader_setup_seconds);
  json("compute_setup_seconds", result.compute_setup_seconds);
  none_as_null(json, "validation_data", result.validation_data);
  json.list("epochs", result.epochs,
            [&](auto& inner, auto& epoch) { epoch_of_training(inner, epoch, result.classifies); });
}

void check_version(JsonReader& top) {
  if (top.kind() != JsonKind::kObject) throw top.refusal("a training run of loadline");
  const auto version = top.member("training_version").as_whole();
  if (version == kTrainingVersion) return;
  throw top.error(
      fmt::format("a training run of schema version {}, but this loadline reads {}: use the version that wrote it",
                  version, kTrainingVersion));
}

}  // namespace

std::string training_json(const TrainingResult& result) {
  RecordWriter json;
  training_fields(json, result);
  return text_of(json.take(), 1) + '\n';
}

std::string training_outline() {
  RecordWriter json = RecordWriter::outlining();
  const TrainingResult any;
  training_fields(json, any);
  return text_of(json.take(), 1) + '\n';
}

bool is_training(std::string_view text) {
  if (text.find("\"training_version\"") == std::string_view::npos) return false;  // most are results
  try {
    const JsonDocument document(text, "");
    JsonReader top(document);
    return top.kind() == JsonKind::kObject && top.find("training_version").has_value();
  } catch (const Error&) {
    return false;
  }
}

TrainingResult parse_training(std::string_view text, const std::string& source) {
  const JsonDocument document(text, source);
  JsonReader top(document);
  check_version(top);
  RecordReader json(top);
  TrainingResult result;
  training_fields(json, result);
  return result;
}

TrainingResult load_training(const std::filesystem::path& path) {
  return parse_training(read_text(path), path.string());
}

}  // namespace loadline
