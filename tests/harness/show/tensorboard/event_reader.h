// Reads event files back: checks the checksums of the format and parses the events with protobuf.
#pragma once

#include <gtest/gtest.h>
#include <tensorboard/event.pb.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/storage/crc32c.h"

namespace loadline::test {

inline std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

// Fails the test where a checksum is wrong or the file ends within a record.
inline std::vector<tensorboard::Event> events_in(std::string_view file) {
  std::vector<tensorboard::Event> events;
  while (!file.empty()) {
    const std::size_t length = number_at(file, 0, 8);
    EXPECT_EQ(number_at(file, 8, 4), masked(crc32c(std::as_bytes(std::span(file.substr(0, 8))))));
    const std::string_view payload = file.substr(12, length);
    EXPECT_EQ(number_at(file, 12 + length, 4), masked(crc32c(std::as_bytes(std::span(payload)))));
    EXPECT_TRUE(events.emplace_back().ParseFromString(std::string(payload)));
    file.remove_prefix(16 + length);
  }
  return events;
}

inline std::map<std::string, float> scalars_of(const tensorboard::Event& event) {
  std::map<std::string, float> scalars;
  for (const auto& value : event.summary().value()) {
    if (value.has_simple_value()) scalars[value.tag()] = value.simple_value();
  }
  return scalars;
}

// The data of the hyperparameters plugin. Fails the test unless it is the event's only value, with this tag.
inline tensorboard::HParamsPluginData hparams_data(const tensorboard::Event& event, const std::string& tag) {
  tensorboard::HParamsPluginData data;
  EXPECT_EQ(event.summary().value_size(), 1);
  const auto& value = event.summary().value(0);
  EXPECT_EQ(value.tag(), tag);
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "hparams");
  EXPECT_TRUE(data.ParseFromString(value.metadata().plugin_data().content()));
  return data;
}

}  // namespace loadline::test
