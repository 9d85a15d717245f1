#include "harness/show/report/training_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/judge/phrase.h"
#include "harness/plan/command.h"
#include "harness/plan/settings.h"
#include "harness/show/columns.h"
#include "harness/show/csv.h"
#include "harness/show/report/html.h"
#include "harness/show/report/markdown.h"
#include "harness/show/report/rows.h"
#include "harness/show/training_text.h"

namespace loadline {
namespace {

// An epoch with its run.
struct EpochPlace {
  const TrainingResult& run;
  const EpochResult& epoch;
  std::size_t number;  // from 1
};

std::optional<double> finite_or_none(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> loss_at(const std::optional<Score>& score) {
  return score && score->samples > 0 ? finite_or_none(score->loss()) : std::nullopt;
}

std::optional<double> accuracy_at(const EpochPlace& at, const std::optional<Score>& score) {
  if (!at.run.classifies || !score || score->samples == 0) return std::nullopt;
  return static_cast<double>(score->correct) / static_cast<double>(score->samples);
}

double waiting_share_of(const EpochResult& epoch) {
  return epoch.wait_seconds / epoch.wall_seconds;
}

std::string name_of_training(const TrainingResult& run) {
  return loader_text(run.cell.cell.loader.value_or(""), run.cell.cell.workers);
}

// A section with one row per epoch; `add` fills its further columns.
template <typename Add>
Section section_by_epoch(std::span<const TrainingResult> runs, Section section, const std::vector<Column>& columns,
                         const Add& add) {
  section.table.columns = {
      {"run", "run"}, {"workload", "workload"}, {"name", "configuration"}, {"epoch", "epoch", Figure::kCount}};
  section.table.columns.insert(section.table.columns.end(), columns.begin(), columns.end());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t epoch = 0; epoch < runs[i].epochs.size(); ++epoch) {
      const std::vector<Datum> first{run_name(i), runs[i].cell.cell.workload, name_of_training(runs[i]),
                                     static_cast<double>(epoch + 1)};
      for (const std::vector<Datum>& further :
           add(EpochPlace{.run = runs[i], .epoch = runs[i].epochs[epoch], .number = epoch + 1})) {
        section.table.rows.push_back(first);
        section.table.rows.back().insert(section.table.rows.back().end(), further.begin(), further.end());
      }
    }
  }
  return section;
}

using FurtherRows = std::vector<std::vector<Datum>>;

Section loss_section(std::span<const TrainingResult> runs) {
  return section_by_epoch(
      runs,
      {.id = "epoch-loss",
       .title = "Loss",
       .reading = "Mean loss per sample. Training loss is taken before each batch is learned, so the first epoch "
                  "includes the loss of the untrained network. Validation loss is taken after the epoch, on samples "
                  "that are not trained on."},
      {{"training", "training"}, {"validation", "validation"}}, [](const EpochPlace& at) {
        return FurtherRows{{datum(loss_at(at.epoch.training)), datum(loss_at(at.epoch.validation))}};
      });
}

Section accuracy_section(std::span<const TrainingResult> runs) {
  return section_by_epoch(
      runs,
      {.id = "epoch-accuracy", .title = "Accuracy", .reading = "Share of the samples that were labelled correctly."},
      {{"training", "training", Figure::kShare}, {"validation", "validation", Figure::kShare}},
      [](const EpochPlace& at) {
        return FurtherRows{{datum(accuracy_at(at, at.epoch.training)), datum(accuracy_at(at, at.epoch.validation))}};
      });
}

Section time_section(std::span<const TrainingResult> runs) {
  return section_by_epoch(runs,
                          {.id = "epoch-time",
                           .title = "Time of an epoch",
                           .reading = "One pass over all samples. The first epoch starts before the dataset is opened; "
                                      "validation is not included."},
                          {{"seconds", "time", Figure::kSeconds},
                           {"rate", "samples/s", Figure::kRate},
                           {"validating", "validation took", Figure::kSeconds}},
                          [](const EpochPlace& at) {
                            return FurtherRows{{at.epoch.wall_seconds, at.epoch.samples_per_second(),
                                                at.epoch.validation ? Datum(at.epoch.validation_seconds) : Datum()}};
                          });
}

Section waiting_section(std::span<const TrainingResult> runs) {
  return section_by_epoch(
      runs,
      {.id = "epoch-waiting",
       .title = "Waiting for data",
       .reading = "Share of an epoch's time during which the step waited for its next batch."},
      {{"share", "share of the time", Figure::kShare},
       {"wait", "in all", Figure::kSeconds},
       {"first", "first batch", Figure::kSeconds}},
      [](const EpochPlace& at) {
        return FurtherRows{{waiting_share_of(at.epoch), at.epoch.wait_seconds, at.epoch.first_batch_seconds}};
      });
}

Section stages_by_epoch(std::span<const TrainingResult> runs) {
  return section_by_epoch(
      runs,
      {.id = "epoch-stages",
       .title = "Where the time of an epoch goes",
       .reading = "How the training thread spends an epoch. Set-up is the time before it asked for the first batch."},
      {{"stage", "stage"}, {"share", "share of the time", Figure::kShare}, {"seconds", "time", Figure::kSeconds}},
      [](const EpochPlace& at) {
        FurtherRows rows;
        for (const StageSummary& stage : at.epoch.stages) {
          rows.push_back({stage.name, stage.total_seconds / at.epoch.wall_seconds, stage.total_seconds});
        }
        return rows;
      });
}

// Whether any column after the four common ones says anything.
bool says_something(const Section& section) {
  for (const auto& row : section.table.rows) {
    for (std::size_t i = 4; i < row.size(); ++i) {
      if (row[i] != Datum()) return true;
    }
  }
  return false;
}

std::string title_of_training(const TrainingResult& run) {
  std::string title = fmt::format("{}, started {}", run.run_id, run.started);
  if (run.environment.machine.hostname) title += fmt::format(" on {}", *run.environment.machine.hostname);
  if (run.environment.machine.cpu_model) title += fmt::format(", {}", *run.environment.machine.cpu_model);
  return title;
}

std::string words_of_command(const std::vector<std::string>& arguments) {
  std::string command;
  for (const std::string& word : arguments) command += (command.empty() ? "" : " ") + shell_quoted(word);
  return command;
}

struct EpochColumn {
  std::string_view name;
  std::string (*text)(const EpochPlace& at);
};

std::string exact(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

constexpr std::array kEpochColumns{
    EpochColumn{"epoch", [](const EpochPlace& at) { return fmt::format("{}", at.number); }},
    EpochColumn{"samples", [](const EpochPlace& at) { return fmt::format("{}", at.epoch.training.samples); }},
    EpochColumn{"wall_seconds", [](const EpochPlace& at) { return exact(at.epoch.wall_seconds); }},
    EpochColumn{"samples_per_second", [](const EpochPlace& at) { return exact(at.epoch.samples_per_second()); }},
    EpochColumn{"wait_seconds", [](const EpochPlace& at) { return exact(at.epoch.wait_seconds); }},
    EpochColumn{"first_batch_seconds", [](const EpochPlace& at) { return exact(at.epoch.first_batch_seconds); }},
    EpochColumn{"training_loss", [](const EpochPlace& at) { return exact(loss_at(at.epoch.training)); }},
    EpochColumn{"training_accuracy", [](const EpochPlace& at) { return exact(accuracy_at(at, at.epoch.training)); }},
    EpochColumn{"validation_loss", [](const EpochPlace& at) { return exact(loss_at(at.epoch.validation)); }},
    EpochColumn{"validation_accuracy",
                [](const EpochPlace& at) { return exact(accuracy_at(at, at.epoch.validation)); }},
    EpochColumn{
        "validation_seconds",
        [](const EpochPlace& at) { return at.epoch.validation ? exact(at.epoch.validation_seconds) : std::string(); }},
};

}  // namespace

std::vector<Section> training_sections(std::span<const TrainingResult> runs) {
  std::vector<Section> sections;
  for (Section& section : std::array{loss_section(runs), accuracy_section(runs), time_section(runs),
                                     waiting_section(runs), stages_by_epoch(runs)}) {
    if (!says_something(section)) continue;
    section.table = without_empty_columns(section.table);
    if (runs.size() == 1) section.table = without(section.table, "run");
    sections.push_back(std::move(section));
  }
  return sections;
}

std::vector<std::string> training_sentences(const TrainingResult& run) {
  double wall = 0;
  double waiting = 0;
  for (const EpochResult& epoch : run.epochs) {
    wall += epoch.wall_seconds;
    waiting += epoch.wait_seconds;
  }
  std::string first =
      fmt::format("{}, {}, {}", run.cell.cell.workload, name_of_training(run), plural(run.epochs.size(), "epoch"));
  if (wall > 0) first += fmt::format(": {:.1f} % of the time went into waiting for data", 100 * waiting / wall);
  std::vector<std::string> sentences{first + '.'};
  if (run.status != Status::kComplete) sentences.emplace_back("The training was stopped before its last epoch.");
  if (!run.compute_description.empty()) sentences.push_back(fmt::format("The network: {}.", run.compute_description));
  if (run.validation_data.empty()) sentences.emplace_back("There was no validation.");
  if (std::string text = first_epoch_text(run); !text.empty()) sentences.push_back(std::move(text));
  return sentences;
}

std::string training_html(std::span<const TrainingResult> runs, const Page& page, std::string_view title) {
  const bool charts = !page.libraries.empty();
  const std::string own = runs.size() == 1 ? fmt::format("loadline training {}", runs.front().run_id)
                                           : fmt::format("loadline report of {} training runs", runs.size());
  std::string html = page_beginning(title.empty() ? std::string_view(own) : title, page);
  html += "<section id=\"verdict\">\n<h2>Verdict</h2>\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string letter = runs.size() > 1 ? run_name(i) + ": " : "";
    html += fmt::format("<h3>{}</h3>\n", html_escaped(letter + title_of_training(runs[i])));
    for (const std::string& sentence : training_sentences(runs[i])) html += paragraph("sentence", sentence);
  }
  html += "</section>\n";
  for (const Section& section : training_sections(runs)) html += section_html(section, charts);
  html += "<section id=\"command\">\n<h2>Command line</h2>\n";
  for (const TrainingResult& run : runs) html += command_html(words_of_command(run.arguments));
  return html + "</section>\n" + page_end(page);
}

std::string training_markdown(std::span<const TrainingResult> runs, std::string_view title) {
  std::string markdown = title.empty() ? "# loadline training\n" : fmt::format("# {}\n", markdown_escaped(title));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string letter = runs.size() > 1 ? run_name(i) + ": " : "";
    markdown += fmt::format("\n### {}\n", markdown_escaped(letter + title_of_training(runs[i])));
    for (const std::string& sentence : training_sentences(runs[i])) {
      markdown += fmt::format("\n{}\n", markdown_escaped(sentence));
    }
  }
  for (const Section& section : training_sections(runs)) {
    markdown += fmt::format("\n## {}\n\n{}", section.title, table_markdown(section.table));
  }
  markdown += "\n## Command line\n";
  for (const TrainingResult& run : runs) markdown += '\n' + code_markdown(words_of_command(run.arguments));
  return markdown;
}

std::string training_csv(std::span<const TrainingResult> runs) {
  std::vector<std::string> head{"run_id", "started", "hostname"};
  for (const SettingRow& row : settings()) head.emplace_back(row.name);
  for (const EpochColumn& column : kEpochColumns) head.emplace_back(column.name);
  std::string csv = csv_line(head);
  for (const TrainingResult& run : runs) {
    for (std::size_t i = 0; i < run.epochs.size(); ++i) {
      const EpochPlace at{.run = run, .epoch = run.epochs[i], .number = i + 1};
      std::vector<std::string> line{csv_field(run.run_id), csv_field(run.started),
                                    csv_field(run.environment.machine.hostname.value_or(""))};
      for (const SettingRow& row : settings()) line.push_back(csv_field(text_of(row.read(run.cell.cell))));
      for (const EpochColumn& column : kEpochColumns) line.push_back(column.text(at));
      csv += csv_line(line);
    }
  }
  return csv;
}

}  // namespace loadline
