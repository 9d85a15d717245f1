#include "harness/show/report/scaling_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/judge/scaling_words.h"
#include "harness/show/csv.h"
#include "harness/show/report/html.h"
#include "harness/show/report/markdown.h"
#include "harness/show/report/rows.h"
#include "harness/show/scaling_study_text.h"

namespace loadline {
namespace {

constexpr double kBytesOfMebibyte = 1024 * 1024;

std::optional<double> value_of(const std::optional<Estimate>& estimate) {
  return estimate ? std::optional(estimate->value) : std::nullopt;
}

std::optional<double> low_of(const std::optional<Estimate>& estimate) {
  return estimate && estimate->ci95 ? std::optional(estimate->ci95->low) : std::nullopt;
}

std::optional<double> high_of(const std::optional<Estimate>& estimate) {
  return estimate && estimate->ci95 ? std::optional(estimate->ci95->high) : std::nullopt;
}

// The laws of a curve at a point of it.
struct LawRates {
  double ideal = 0;
  std::optional<double> scalability;
  std::optional<double> capped;
};

std::vector<LawRates> law_rates(const RankCurve& curve) {
  const auto scalability = curve.scalability();
  const auto capped = curve.capped();
  std::vector<LawRates> rates;
  for (const RankPoint& point : curve.points) {
    const auto ranks = static_cast<double>(point.ranks);
    LawRates at{.ideal = curve.per_rank() * ranks};
    if (scalability) at.scalability = scalability->samples_per_second(ranks);
    if (capped) at.capped = capped->samples_per_second(ranks);
    rates.push_back(at);
  }
  return rates;
}

std::optional<double> in_mebibytes(const std::optional<double>& bytes) {
  return bytes ? std::optional(*bytes / kBytesOfMebibyte) : std::nullopt;
}

Section over_ranks_section(const ScalingStudy& study) {
  Section section{.id = "rank-scaling",
                  .title = "Throughput over ranks",
                  .reading =
                      "Samples per second of all ranks, with 95 % intervals; thin: the ideal line through the "
                      "fewest ranks; dashed: the laws that describe the points.",
                  .open = true};
  section.table.columns = {{"workload", "workload"},
                           {"name", "configuration"},
                           {"mode", "mode"},
                           {"ranks", "ranks", Figure::kCount},
                           {"nodes", "nodes", Figure::kCount},
                           {"devices", "devices", Figure::kCount},
                           {"batch", "global batch", Figure::kCount},
                           {"mean", "samples/s", Figure::kRate},
                           {"low", "95 % from", Figure::kRate},
                           {"high", "95 % to", Figure::kRate},
                           {"efficiency", "efficiency", Figure::kShare},
                           {"efficiency-low", "95 % from", Figure::kShare},
                           {"efficiency-high", "95 % to", Figure::kShare},
                           {"stall", "stall", Figure::kShare},
                           {"gradients", "gradients", Figure::kShare},
                           {"slowest", "slowest rank", Figure::kShare},
                           {"read", "MiB/s", Figure::kAmount},
                           {"ideal", "ideal, samples/s", Figure::kRate},
                           {"fit-scalability", "scalability law", Figure::kRate},
                           {"fit-capped", "shared cap", Figure::kRate}};
  for (const RankCurve& curve : study.curves) {
    const std::vector<LawRates> laws = law_rates(curve);
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const RankPoint& point = curve.points[i];
      const std::optional<Estimate> rate = point.samples_per_second;
      const std::optional<Estimate> efficiency = point.efficiency;
      section.table.rows.push_back({curve.workload,
                                    curve.configuration,
                                    std::string(name(curve.mode)),
                                    datum(point.ranks),
                                    datum(point.hosts),
                                    datum(point.devices),
                                    datum(point.global_batch),
                                    rate->value,
                                    datum(low_of(rate)),
                                    datum(high_of(rate)),
                                    efficiency->value,
                                    datum(low_of(efficiency)),
                                    datum(high_of(efficiency)),
                                    datum(value_of(point.stall)),
                                    datum(value_of(point.gradients)),
                                    datum(value_of(point.held)),
                                    datum(in_mebibytes(point.read_bytes_per_second)),
                                    laws[i].ideal,
                                    datum(laws[i].scalability),
                                    datum(laws[i].capped)});
    }
  }
  section.table = without_empty_columns(section.table);
  return section;
}

Section lost_time_section(const ScalingStudy& study) {
  Section section{.id = "rank-lost",
                  .title = "Where a rank loses time",
                  .reading = "Share of a rank's time that it did not need with the fewest ranks."};
  section.table.columns = {{"workload", "workload"},
                           {"name", "configuration"},
                           {"ranks", "ranks", Figure::kCount},
                           {"loading", "waiting for data", Figure::kShare},
                           {"gradients", "gradients", Figure::kShare},
                           {"stragglers", "slowest rank", Figure::kShare},
                           {"step", "slower steps", Figure::kShare},
                           {"cpus", "CPUs per rank", Figure::kCount},
                           {"busy", "CPUs busy", Figure::kShare}};
  for (const RankCurve& curve : study.curves) {
    for (const RankPoint& point : curve.points) {
      const LostTime& lost = point.lost;
      section.table.rows.push_back({curve.workload, curve.configuration, datum(point.ranks), lost.loading,
                                    point.gradients ? Datum(lost.gradients) : Datum(), lost.stragglers, lost.step,
                                    datum(point.cpus), datum(point.cpu_share)});
    }
  }
  section.table = without_empty_columns(section.table);
  return section;
}

std::string title_of_study(const ScalingStudy& study, std::string_view title) {
  return title.empty() ? fmt::format("loadline {} scaling", name(study.kind)) : std::string(title);
}

std::string exact_or_empty(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

// A point with its curve and study.
struct PointPlace {
  const ScalingStudy& study;
  const RankCurve& curve;
  const RankPoint& point;
  const LawRates& laws;
};

struct PointColumn {
  std::string_view name;
  std::string (*text)(const PointPlace& at);
};

using PP = const PointPlace&;

constexpr std::array kPointColumns{
    PointColumn{"workload", [](PP at) { return csv_field(at.curve.workload); }},
    PointColumn{"configuration", [](PP at) { return csv_field(at.curve.configuration); }},
    PointColumn{"scaling", [](PP at) { return std::string(name(at.study.kind)); }},
    PointColumn{"mode", [](PP at) { return std::string(name(at.curve.mode)); }},
    PointColumn{"ranks", [](PP at) { return fmt::format("{}", at.point.ranks); }},
    PointColumn{"nodes", [](PP at) { return fmt::format("{}", at.point.hosts); }},
    PointColumn{"devices", [](PP at) { return fmt::format("{}", at.point.devices); }},
    PointColumn{"batch_size", [](PP at) { return fmt::format("{}", at.point.batch_size); }},
    PointColumn{"global_batch", [](PP at) { return fmt::format("{}", at.point.global_batch); }},
    PointColumn{"trials", [](PP at) { return fmt::format("{}", at.point.trials); }},
    PointColumn{"samples_per_second", [](PP at) { return exact_or_empty(at.point.samples_per_second.value); }},
    PointColumn{"samples_per_second_low", [](PP at) { return exact_or_empty(low_of(at.point.samples_per_second)); }},
    PointColumn{"samples_per_second_high", [](PP at) { return exact_or_empty(high_of(at.point.samples_per_second)); }},
    PointColumn{"efficiency", [](PP at) { return exact_or_empty(at.point.efficiency.value); }},
    PointColumn{"efficiency_low", [](PP at) { return exact_or_empty(low_of(at.point.efficiency)); }},
    PointColumn{"efficiency_high", [](PP at) { return exact_or_empty(high_of(at.point.efficiency)); }},
    PointColumn{"ideal_per_second", [](PP at) { return exact_or_empty(at.laws.ideal); }},
    PointColumn{"scalability_per_second", [](PP at) { return exact_or_empty(at.laws.scalability); }},
    PointColumn{"shared_cap_per_second", [](PP at) { return exact_or_empty(at.laws.capped); }},
    PointColumn{"io_per_second", [](PP at) { return exact_or_empty(value_of(at.point.io)); }},
    PointColumn{"synthetic_per_second", [](PP at) { return exact_or_empty(value_of(at.point.synthetic)); }},
    PointColumn{"stall", [](PP at) { return exact_or_empty(value_of(at.point.stall)); }},
    PointColumn{"gradients_share", [](PP at) { return exact_or_empty(value_of(at.point.gradients)); }},
    PointColumn{"slowest_rank_share", [](PP at) { return exact_or_empty(value_of(at.point.held)); }},
    PointColumn{"read_bytes_per_second", [](PP at) { return exact_or_empty(at.point.read_bytes_per_second); }},
    PointColumn{"device_bytes_per_second", [](PP at) { return exact_or_empty(at.point.device_bytes_per_second); }},
    PointColumn{"lost_loading", [](PP at) { return exact_or_empty(at.point.lost.loading); }},
    PointColumn{"lost_gradients", [](PP at) { return exact_or_empty(at.point.lost.gradients); }},
    PointColumn{"lost_stragglers", [](PP at) { return exact_or_empty(at.point.lost.stragglers); }},
    PointColumn{"lost_step", [](PP at) { return exact_or_empty(at.point.lost.step); }},
};

}  // namespace

std::vector<Section> scaling_sections(const ScalingStudy& study) {
  return {over_ranks_section(study), lost_time_section(study)};
}

std::string scaling_html(const ScalingStudy& study, const Page& page, std::string_view title) {
  const bool charts = !page.libraries.empty();
  std::string html = page_beginning(title_of_study(study, title), page);
  html += "<section id=\"verdict\">\n<h2>Verdict</h2>\n";
  for (const RankCurve& curve : study.curves) {
    html += fmt::format("<h3>{}</h3>\n", html_escaped(scaling_title(curve, study.kind)));
    for (const std::string& sentence : sentences_of(curve, study)) html += paragraph("sentence", sentence);
  }
  for (const std::string& note : study.notes) html += paragraph("note", note);
  html += "</section>\n";
  for (const Section& section : scaling_sections(study)) html += section_html(section, charts);
  return html + page_end(page);
}

std::string scaling_markdown(const ScalingStudy& study, std::string_view title) {
  std::string markdown = fmt::format("# {}\n", markdown_escaped(title_of_study(study, title)));
  for (const RankCurve& curve : study.curves) {
    markdown += fmt::format("\n### {}\n", markdown_escaped(scaling_title(curve, study.kind)));
    for (const std::string& sentence : sentences_of(curve, study)) {
      markdown += fmt::format("\n{}\n", markdown_escaped(sentence));
    }
  }
  for (const std::string& note : study.notes) markdown += fmt::format("\n{}\n", markdown_escaped(note));
  for (const Section& section : scaling_sections(study)) {
    markdown += fmt::format("\n## {}\n\n{}", section.title, table_markdown(section.table));
  }
  return markdown;
}

std::string scaling_csv(const ScalingStudy& study) {
  std::vector<std::string> head;
  for (const PointColumn& column : kPointColumns) head.emplace_back(column.name);
  std::string csv = csv_line(head);
  for (const RankCurve& curve : study.curves) {
    const std::vector<LawRates> laws = law_rates(curve);
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      std::vector<std::string> line;
      for (const PointColumn& column : kPointColumns) {
        line.push_back(column.text({study, curve, curve.points[i], laws[i]}));
      }
      csv += csv_line(line);
    }
  }
  return csv;
}

}  // namespace loadline
