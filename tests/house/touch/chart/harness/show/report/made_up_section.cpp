#include <utility>

#include "harness/show/report/rows.h"
#include "harness/show/report/sections.h"

namespace loadline {

Section made_up_section(const ReportData& data) {
  Section section{.id = "made-up", .title = "Trials of each cell", .reading = "One point per cell."};
  section.table.columns = named_columns({{"count", "trials", Figure::kCount}});
  for (const Subject& subject : data.subjects) {
    for (const std::size_t index : subject.cells) {
      std::vector<Datum> row = named_row(data, subject, index);
      row.push_back(datum(data.runs[subject.run].result.cells[index].trials.size()));
      section.table.rows.push_back(std::move(row));
    }
  }
  return section;
}

}  // namespace loadline
