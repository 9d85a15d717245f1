// Results of every released schema version can still be read, shown, compared and resumed. tests/results/released/
// keeps the first form of each version, and the last form if fields were added later, all cut out of examples that were
// committed at the time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/judge/diff.h"
#include "harness/machine/build_facts.h"
#include "harness/measure/resume.h"
#include "harness/plan/settings.h"
#include "harness/show/figures_text.h"
#include "harness/show/report/report.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

std::filesystem::path released() {
  return std::filesystem::path(test::kRepository) / "tests" / "results" / "released";
}

std::set<std::string> forms() {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(released())) {
    if (entry.path().extension() == ".json") found.insert(entry.path().stem());
  }
  return found;
}

Json json_of(const std::string& form) {
  return Json::parse(test::bytes_of(released() / (form + ".json")));
}

std::string json_text_of(const Result& result) {
  return result_json(result, judge_run(result));
}

class Released : public testing::TestWithParam<std::string> {
 protected:
  Result result() const { return load_result(released() / (GetParam() + ".json")); }
};

INSTANTIATE_TEST_SUITE_P(Forms, Released, testing::ValuesIn(forms()), [](const auto& form) {
  std::string name = form.param;
  std::erase(name, '-');
  return name;
});

TEST(ReleasedForms, CoverEveryEarlierVersion) {
  std::set<int> versions;
  for (const std::string& form : forms()) versions.insert(json_of(form)["schema_version"].get<int>());
  for (int version = 1; version < kSchemaVersion; ++version) EXPECT_TRUE(versions.contains(version)) << version;
}

TEST_P(Released, HasTheTrialsAndSettingsItWasWrittenWith) {
  const Json json = json_of(GetParam());
  const Result read = result();
  ASSERT_EQ(read.cells.size(), json["cells"].size());
  for (std::size_t i = 0; i < read.cells.size(); ++i) {
    const Json& written = json["cells"][i];
    const CellResult& cell = read.cells[i];
    EXPECT_EQ(cell.cell.name(), written["name"].get<std::string>());
    ASSERT_EQ(cell.trials.size(), written["trials"].size());
    for (std::size_t j = 0; j < cell.trials.size(); ++j) {
      EXPECT_DOUBLE_EQ(cell.trials[j].samples_per_second(), written["trials"][j]["samples_per_second"].get<double>());
      EXPECT_FALSE(cell.trials[j].pilot);
      EXPECT_FALSE(cell.trials[j].fill);
    }
  }
  EXPECT_EQ(read.environment.build.git_revision, json["build"]["git_revision"].get<std::string>());
  EXPECT_EQ(read.ceilings.size(), json.contains("ceilings") ? json["ceilings"].size() : 0U);
  EXPECT_EQ(read.other_builds, std::vector<std::string>());
}

TEST_P(Released, GivesSettingsAddedLaterTheirFormerMeaning) {
  for (const CellResult& cell : result().cells) {
    EXPECT_EQ(cell.cell.cache, CacheState::kWarm);
    EXPECT_EQ(cell.cell.prefetch, std::nullopt) << "as many as suit the cache";
    EXPECT_EQ(cell.prefetch > 0, cell.cell.workers > 0) << "in force";
    EXPECT_EQ(cell.cell.threads_in_force, 2U);
    if (cell.cell.mode == Mode::kOverhead) continue;
    EXPECT_EQ(cell.cell.classes, 10U);
    EXPECT_EQ(cell.stopped, Stopped::kTrials);
  }
}

TEST_P(Released, HasTheSameCellsAsTheLastReleasedForm) {
  const Result last = load_result(released() / "v3-last.json");
  const Result read = result();
  ASSERT_EQ(read.cells.size(), last.cells.size());
  for (std::size_t i = 0; i < read.cells.size(); ++i) EXPECT_EQ(key_of(read.cells[i].cell), key_of(last.cells[i].cell));
}

TEST_P(Released, IsJudgedAndShown) {
  const Result read = result();
  const Judgement judgement = judge_run(read);
  EXPECT_EQ(judgement.configurations.size(), 2U);
  ASSERT_EQ(judgement.headlines.size(), 1U);
  const std::string text = figures_text(read, judgement);
  EXPECT_THAT(text, HasSubstr("fashion-mnist, thread-pool"));
  EXPECT_THAT(text, HasSubstr("Trials vary by "));
}

TEST_P(Released, DiffersNowhereFromItself) {
  const Result read = result();
  const ResultDiff diff = diff_results({"base", read}, {"new", read}, {});
  EXPECT_EQ(diff.cells.size(), 5U) << "all but OVERHEAD";
  for (const CellDiff& cell : diff.cells) {
    EXPECT_EQ(cell.comparison->ratio.value, 1) << cell.name;
    EXPECT_EQ(cell.comparison->ratio.p, 1) << cell.name;
  }
  EXPECT_EQ(diff.gone, std::vector<Unmatched>());
}

TEST_P(Released, IsReportedInEveryFormat) {
  const std::vector<Result> results{result()};
  const std::vector<Judgement> judgements{judge_run(results[0])};
  EXPECT_THAT(report_html(results, judgements), HasSubstr(results[0].run_id));
  EXPECT_THAT(report_markdown(results, judgements), HasSubstr("## Throughput"));
  EXPECT_THAT(report_text(results, judgements), HasSubstr("samples/s, mean"));
  EXPECT_THAT(report_csv(results), HasSubstr("fashion-mnist/IO/thread-pool/workers:2/batch:512"));
}

TEST_P(Released, IsWrittenAsThisVersionAndReadAgain) {
  const std::string text = json_text_of(result());
  EXPECT_EQ(Json::parse(text)["schema_version"], kSchemaVersion);
  EXPECT_EQ(json_text_of(parse_result(text, "lifted")), text);
}

// The result as prepare_run() would have made it here, with nothing measured.
Result prepared(Result result) {
  result.environment.build.git_revision = "0123456789abcdef0123456789abcdef01234567";
  result.environment.build.git_dirty = false;
  for (CellResult& cell : result.cells) cell.trials.clear();
  for (CeilingResult& ceiling : result.ceilings) ceiling.trials.clear();
  return result;
}

TEST_P(Released, IsResumedIfAnotherBuildIsAllowed) {
  const Result earlier = result();
  EXPECT_NO_THROW(check_same_options(earlier.options, earlier.options, "old.json"));
  Result here = prepared(earlier);
  EXPECT_GT(continue_from(earlier, "old.json", here, RequiredMatch::kSameData), 0);
  EXPECT_EQ(here.cells[0].trials.size(), 3U);
  EXPECT_EQ(here.other_builds, std::vector<std::string>{name_of(earlier.environment.build)});
}

TEST_P(Released, IsNotResumedByDefaultAndSaysWhy) {
  Result here = prepared(result());
  const test::Thrown thrown = test::thrown_by([&] { continue_from(result(), "old.json", here); });
  EXPECT_THAT(thrown.message, testing::StartsWith("old.json: cannot resume it: revision was " +
                                                  *result().environment.build.git_revision));
  EXPECT_THAT(thrown.message, testing::EndsWith("; --allow-mismatch resumes anyway, and the result says so"));
}

// Damage to an old file causes nothing worse than an Error that names the file.
TEST_P(Released, IsRefusedByNameIfItIsDamaged) {
  Json json = json_of(GetParam());
  const std::vector<Json> values{nullptr, true, -1, 1e308, "x", Json::array(), Json::object(), {1, "a"}};
  const Json flat = json.flatten();
  const std::size_t stride = 9 * test::damage_stride();
  std::size_t i = 0;
  for (const auto& [pointer, value] : flat.items()) {
    if (++i % stride != 0) continue;
    for (Json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
      Json before = std::exchange(json[at], values[i / stride % values.size()]);
      try {
        judge_run(parse_result(json.dump(), "old.json"));
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::StartsWith("old.json: "));
      }
      json[at] = std::move(before);
    }
  }
}

}  // namespace
}  // namespace loadline
