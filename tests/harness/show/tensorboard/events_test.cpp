#include "harness/show/tensorboard/events.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/harness/show/tensorboard/event_reader.h"

namespace loadline {
namespace {

using test::events_in;
using test::hparams_data;
using test::scalars_of;
using testing::ElementsAre;
using testing::Pair;

TEST(Events, BeginWithTheVersionOfTheFile) {
  const auto events = events_in(first_event(1795341480.5));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_EQ(events[0].source_metadata().writer(), "loadline");
  EXPECT_EQ(events[0].wall_time(), 1795341480.5);
}

// The bytes are those of TensorBoard's own writer: wall_time, step and one value of a summary.
TEST(Events, HaveTheBytesOfThePublicDefinitions) {
  const std::string record = scalars_event(1.0, 3, std::vector<Scalar>{{"a", 0.5}});
  EXPECT_EQ(record.substr(12, record.size() - 16),
            std::string("\x09\x00\x00\x00\x00\x00\x00\xf0\x3f"  // 1: double 1.0
                        "\x10\x03"                              // 2: 3
                        "\x2a\x0a\x0a\x08"                      // 5: summary of 10 bytes; 1: value of 8
                        "\x0a\x01"
                        "a"                      // 1: tag
                        "\x15\x00\x00\x00\x3f",  // 2: float 0.5
                        23));
}

TEST(Events, LeaveOutValuesThatAreNotNumbers) {
  const std::vector<Scalar> scalars{{"loss", std::numeric_limits<double>::quiet_NaN()}, {"rate", 2}};
  EXPECT_THAT(scalars_of(events_in(scalars_event(1, 1, scalars)).at(0)), ElementsAre(Pair("rate", 2.0F)));
  EXPECT_EQ(scalars_event(1, 1, {}), "");
}

TEST(Events, KeepAValueOfZero) {
  EXPECT_THAT(scalars_of(events_in(scalars_event(1, 1, std::vector<Scalar>{{"wait", 0}})).at(0)),
              ElementsAre(Pair("wait", 0.0F)));
}

TEST(Events, SayWhatTheHyperparametersAre) {
  const auto events = events_in(experiment_event(
      5, {.description = "a sweep",
          .parameters = {{"loader", HparamType::kText}, {"workers", HparamType::kNumber}, {"flip", HparamType::kBool}},
          .metrics = {{"mean/samples_per_second", "samples/s"}}}));
  const auto experiment = hparams_data(events.at(0), "_hparams_/experiment").experiment();
  EXPECT_EQ(experiment.description(), "a sweep");
  EXPECT_EQ(experiment.time_created_secs(), 5);
  ASSERT_EQ(experiment.hparam_infos_size(), 3);
  EXPECT_EQ(experiment.hparam_infos(0).name(), "loader");
  EXPECT_EQ(experiment.hparam_infos(0).type(), tensorboard::DATA_TYPE_STRING);
  EXPECT_EQ(experiment.hparam_infos(1).type(), tensorboard::DATA_TYPE_FLOAT64);
  EXPECT_EQ(experiment.hparam_infos(2).type(), tensorboard::DATA_TYPE_BOOL);
  ASSERT_EQ(experiment.metric_infos_size(), 1);
  EXPECT_EQ(experiment.metric_infos(0).name().tag(), "mean/samples_per_second");
  EXPECT_EQ(experiment.metric_infos(0).display_name(), "samples/s");
}

TEST(Events, GiveASessionItsHyperparametersAndItsEnd) {
  const Hparams hparams{{"loader", std::string("serial")}, {"workers", 2.0}, {"flip", false}};
  const auto start = hparams_data(events_in(session_start_event(7, hparams)).at(0), "_hparams_/session_start_info");
  EXPECT_EQ(start.version(), 0);
  const auto& info = start.session_start_info();
  EXPECT_EQ(info.start_time_secs(), 7);
  ASSERT_EQ(info.hparams_size(), 3);
  EXPECT_EQ(info.hparams(0).key(), "loader");
  EXPECT_EQ(info.hparams(0).value().string_value(), "serial");
  EXPECT_EQ(info.hparams(1).value().number_value(), 2);
  EXPECT_TRUE(info.hparams(2).value().has_bool_value());
  EXPECT_FALSE(info.hparams(2).value().bool_value());
  const auto end =
      hparams_data(events_in(session_end_event(9, SessionEnd::kFailure)).at(0), "_hparams_/session_end_info");
  EXPECT_EQ(end.session_end_info().status(), tensorboard::STATUS_FAILURE);
  EXPECT_EQ(end.session_end_info().end_time_secs(), 9);
}

}  // namespace
}  // namespace loadline
