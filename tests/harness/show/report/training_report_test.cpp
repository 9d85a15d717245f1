#include "harness/show/report/training_report.h"

#include <gmock/gmock.h>

#include "tests/harness/support/trainings.h"

namespace loadline {
namespace {

using test::training;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr Page kTrainingWithCharts{.style = "STYLE", .script = "SCRIPT", .libraries = "LIBRARIES"};
constexpr Page kTrainingWithout{.style = "STYLE", .script = "SCRIPT", .libraries = ""};

std::vector<std::string> chart_ids_of(const std::vector<Section>& sections) {
  std::vector<std::string> ids;
  for (const Section& section : sections) ids.emplace_back(section.id);
  return ids;
}

std::string text_at(const Section& section, std::size_t row, std::string_view key) {
  for (std::size_t i = 0; i < section.table.columns.size(); ++i) {
    if (section.table.columns[i].key == key)
      return text_of(section.table.rows[row][i], section.table.columns[i].figure);
  }
  return "no such column";
}

TEST(TrainingReport, HasASectionForEachCurve) {
  const std::vector<TrainingResult> runs{training()};
  const auto sections = training_sections(runs);
  EXPECT_THAT(chart_ids_of(sections),
              ElementsAre("epoch-loss", "epoch-accuracy", "epoch-time", "epoch-waiting", "epoch-stages"));
  EXPECT_EQ(text_at(sections[0], 1, "epoch"), "2");
  EXPECT_EQ(text_at(sections[0], 1, "training"), "1.5");
  EXPECT_EQ(text_at(sections[0], 1, "validation"), "1.5");
  EXPECT_EQ(text_at(sections[1], 1, "training"), "50.0 %");
  EXPECT_EQ(text_at(sections[1], 1, "validation"), "40.0 %");
  EXPECT_EQ(text_at(sections[2], 1, "seconds"), "2.0 s");
  EXPECT_EQ(text_at(sections[2], 1, "validating"), "125 ms");
  EXPECT_EQ(text_at(sections[3], 1, "share"), "25.0 %");
  EXPECT_EQ(text_at(sections[4], 0, "stage"), "set-up");
  EXPECT_EQ(text_at(sections[4], 0, "share"), "43.8 %");
  EXPECT_EQ(text_at(sections[4], 0, "run"), "no such column");
}

TEST(TrainingReport, LeavesOutWhatIsMissing) {
  TrainingResult bare = training();
  bare.classifies = false;
  for (EpochResult& epoch : bare.epochs) {
    epoch.validation.reset();
    epoch.stages.clear();
  }
  const auto sections = training_sections(std::vector{bare});
  EXPECT_THAT(chart_ids_of(sections), ElementsAre("epoch-loss", "epoch-time", "epoch-waiting"));
  EXPECT_EQ(text_at(sections[0], 0, "validation"), "no such column");
}

TEST(TrainingReport, PutsSeveralRunsIntoOneTable) {
  const std::vector<TrainingResult> runs{training(), training()};
  const auto sections = training_sections(runs);
  EXPECT_EQ(sections[0].table.rows.size(), 6U);
  EXPECT_EQ(text_at(sections[0], 0, "run"), "A");
  EXPECT_EQ(text_at(sections[0], 3, "run"), "B");
  EXPECT_THAT(training_html(runs, kTrainingWithCharts),
              HasSubstr("<h3>B: 20261121T095800Z-3fa2c1, started 2026-11-21T09:58:00Z"));
}

TEST(TrainingReport, CallsRunsAfterZAsReportsOfResultsDo) {
  const auto sections = training_sections(std::vector<TrainingResult>(27, training()));
  EXPECT_EQ(text_at(sections[0], 78, "run"), "AA");
}

TEST(TrainingReport, SaysHowMuchTimeWentIntoWaiting) {
  EXPECT_THAT(
      training_sentences(training()),
      ElementsAre("mnist, thread-pool x 2, 3 epochs: 18.8 % of the time went into waiting for data.",
                  "The network: lenet, 61706 weights.", HasSubstr("Epoch 1 took 2.0 s longer than those after it")));
  TrainingResult stopped = training();
  stopped.status = Status::kPartial;
  stopped.validation_data.clear();
  EXPECT_THAT(training_sentences(stopped),
              testing::IsSupersetOf({"The training was stopped before its last epoch.", "There was no validation."}));
}

TEST(TrainingReport, IsAPageThatEscapesWhatComesFromOutside) {
  const std::vector<TrainingResult> runs{training()};
  const std::string html = training_html(runs, kTrainingWithCharts);
  EXPECT_THAT(html, HasSubstr("<title>loadline training 20261121T095800Z-3fa2c1</title>"));
  EXPECT_THAT(html, HasSubstr("&#39;/tmp/&lt;b&gt;&#39;</pre>"));
  EXPECT_THAT(html, Not(HasSubstr("/tmp/<b>")));
  EXPECT_THAT(html, HasSubstr("<section id=\"epoch-loss\" class=\"figures\">\n<h2>Loss</h2>\n<div class=\"charts\">"));
  EXPECT_THAT(html, HasSubstr("<script>\nLIBRARIES\n</script>\n<script>\nSCRIPT</script>"));
  EXPECT_THAT(training_html(runs, kTrainingWithout), HasSubstr("This report has tables only"));
}

TEST(TrainingReport, IsMarkdown) {
  const std::string markdown = training_markdown(std::vector{training()});
  EXPECT_THAT(markdown, HasSubstr("\n## Loss\n\n| workload | configuration | epoch | training | validation |\n"));
  EXPECT_THAT(markdown, HasSubstr("\n| mnist | thread-pool x 2 | 2 | 1.5 | 1.5 |\n"));
}

TEST(TrainingReport, IsATableWithARowPerEpoch) {
  TrainingResult run = training();
  run.epochs[1].validation.reset();
  const std::string csv = training_csv(std::vector{run});
  EXPECT_THAT(csv, testing::StartsWith("run_id,started,hostname,workload,mode,loader,workers,batch_size,"));
  EXPECT_THAT(csv,
              HasSubstr(",epoch,samples,wall_seconds,samples_per_second,wait_seconds,first_batch_seconds,"
                        "training_loss,training_accuracy,validation_loss,validation_accuracy,validation_seconds\n"));
  EXPECT_THAT(csv, HasSubstr(",1,100,4,25,0.5,0.25,2,0.25,1.5,0.4,0.125\n"));
  EXPECT_THAT(csv, HasSubstr(",2,100,2,50,0.5,0.25,1.5,0.5,,,\n"));
}

}  // namespace
}  // namespace loadline
