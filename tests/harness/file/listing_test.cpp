#include "harness/file/listing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace loadline {
namespace {

TEST(Listing, IsJsonWithTheNamesOfEverything) {
  const Listing listing{
      .workloads = {{"mnist", "digits"}},
      .computes =
          {{.name = "device",
            .summary = "emulated",
            .parameters = {{.name = "depth", .help = "steps", .standard = 2},
                           {.name = "overlap", .help = "copies", .values = {"on", "off"}, .standard_word = "on"}}}},
      .kernels = {"scalar", "avx2"},
      .charts = true,
      .tensorboard = true};
  const auto json = nlohmann::json::parse(listing_json(listing));
  EXPECT_EQ(json["workloads"], nlohmann::json::parse(R"([{"name": "mnist", "summary": "digits"}])"));
  EXPECT_EQ(json["computes"][0]["parameters"][0]["default"], 2);
  EXPECT_EQ(json["computes"][0]["parameters"][1]["default"], "on");
  EXPECT_EQ(json["computes"][0]["parameters"][1]["values"], nlohmann::json::parse(R"(["on", "off"])"));
  EXPECT_EQ(json["kernels"], nlohmann::json::parse(R"(["scalar", "avx2"])"));
  EXPECT_EQ(json["charts"], true);
  EXPECT_EQ(json["tensorboard"], true);
  EXPECT_EQ(json["baselines"], nlohmann::json::array());
}

TEST(Listing, OfABaselineThatCannotBeReadSaysWhy) {
  const ListedBaseline baseline{.name = "main", .path = "/kept/main.json", .former = 3, .error = "no JSON"};
  EXPECT_EQ(nlohmann::json::parse(baselines_json({baseline})), nlohmann::json::parse(R"([{
    "name": "main", "path": "/kept/main.json", "started": null, "host": null, "cells": null, "former": 3,
    "error": "no JSON"}])"));
}

}  // namespace
}  // namespace loadline
