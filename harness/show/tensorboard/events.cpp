#include "harness/show/tensorboard/events.h"

#include <tensorboard/event.pb.h>

#include <cmath>

#include "harness/show/tensorboard/record.h"

namespace loadline {
namespace {

// The version of the plugin's data, not of TensorBoard.
constexpr int kHparamsVersion = 0;

std::string record_of_event(const tensorboard::Event& event) {
  return record_of(event.SerializeAsString());
}

std::string hparams_event(double time, std::string_view tag, tensorboard::HParamsPluginData& data) {
  data.set_version(kHparamsVersion);
  tensorboard::Event event;
  event.set_wall_time(time);
  tensorboard::Summary::Value* value = event.mutable_summary()->add_value();
  value->set_tag(std::string(tag));
  tensorboard::SummaryMetadata::PluginData* plugin = value->mutable_metadata()->mutable_plugin_data();
  plugin->set_plugin_name("hparams");
  plugin->set_content(data.SerializeAsString());
  return record_of_event(event);
}

tensorboard::DataType type_of(HparamType type) {
  switch (type) {
    case HparamType::kText: return tensorboard::DATA_TYPE_STRING;
    case HparamType::kBool: return tensorboard::DATA_TYPE_BOOL;
    case HparamType::kNumber: return tensorboard::DATA_TYPE_FLOAT64;
  }
  return tensorboard::DATA_TYPE_UNSET;
}

void set(tensorboard::Value& to, bool value) {
  to.set_bool_value(value);
}
void set(tensorboard::Value& to, double value) {
  to.set_number_value(value);
}
void set(tensorboard::Value& to, const std::string& value) {
  to.set_string_value(value);
}

}  // namespace

std::string_view why_no_tensorboard() {
  return "";
}

std::string first_event(double time) {
  tensorboard::Event event;
  event.set_wall_time(time);
  event.set_file_version("brain.Event:2");
  event.mutable_source_metadata()->set_writer("loadline");
  return record_of_event(event);
}

std::string scalars_event(double time, std::int64_t step, std::span<const Scalar> scalars) {
  tensorboard::Event event;
  event.set_wall_time(time);
  event.set_step(step);
  for (const Scalar& scalar : scalars) {
    if (!std::isfinite(scalar.value)) continue;
    tensorboard::Summary::Value* value = event.mutable_summary()->add_value();
    value->set_tag(scalar.tag);
    value->set_simple_value(static_cast<float>(scalar.value));
  }
  return event.has_summary() ? record_of_event(event) : "";
}

std::string experiment_event(double time, const HparamsExperiment& experiment) {
  tensorboard::HParamsPluginData data;
  tensorboard::Experiment* made = data.mutable_experiment();
  made->set_description(experiment.description);
  made->set_time_created_secs(time);
  for (const auto& [name, type] : experiment.parameters) {
    tensorboard::HParamInfo* info = made->add_hparam_infos();
    info->set_name(name);
    info->set_type(type_of(type));
  }
  for (const auto& [tag, words] : experiment.metrics) {
    tensorboard::MetricInfo* info = made->add_metric_infos();
    info->mutable_name()->set_tag(tag);
    info->set_display_name(words);
  }
  return hparams_event(time, "_hparams_/experiment", data);
}

std::string session_start_event(double time, const Hparams& hparams) {
  tensorboard::HParamsPluginData data;
  tensorboard::SessionStartInfo* start = data.mutable_session_start_info();
  start->set_start_time_secs(time);
  for (const auto& [name, value] : hparams) {
    tensorboard::SessionStartInfo::Parameter* parameter = start->add_hparams();
    parameter->set_key(name);
    std::visit([&](const auto& known) { set(*parameter->mutable_value(), known); }, value);
  }
  return hparams_event(time, "_hparams_/session_start_info", data);
}

std::string session_end_event(double time, SessionEnd end) {
  tensorboard::HParamsPluginData data;
  tensorboard::SessionEndInfo* made = data.mutable_session_end_info();
  made->set_end_time_secs(time);
  made->set_status(end == SessionEnd::kSuccess   ? tensorboard::STATUS_SUCCESS
                   : end == SessionEnd::kFailure ? tensorboard::STATUS_FAILURE
                                                 : tensorboard::STATUS_UNKNOWN);
  return hparams_event(time, "_hparams_/session_end_info", data);
}

}  // namespace loadline
