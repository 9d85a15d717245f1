#include "harness/show/checkup_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/show/wrap.h"

namespace loadline {

std::string checkup_text(std::span<const Symptom> symptoms) {
  std::vector<Symptom> rows(symptoms.begin(), symptoms.end());
  std::ranges::stable_sort(rows, std::ranges::greater(), &Symptom::health);
  std::size_t widest = 0;
  for (const Symptom& row : rows) widest = std::max(widest, columns_of(row.subject));
  std::string text;
  for (const Symptom& row : rows) {
    text += fmt::format("{:<8}  {:<{}}  {}{}{}\n", name(row.health), row.subject, widest, row.found,
                        row.advice.empty() ? "" : "; ", row.advice);
  }
  const auto count = [&](Health health) {
    return static_cast<std::size_t>(std::ranges::count(rows, health, &Symptom::health));
  };
  const std::size_t disturb = count(Health::kDisturbs);
  const std::size_t unknown = count(Health::kUnknown);
  const std::size_t notes = count(Health::kNote);
  const std::string found = disturb > 0 ? fmt::format("{} disturb{}", plural(disturb, "thing"), disturb == 1 ? "s" : "")
                            : unknown == 0 ? "Nothing disturbs"
                                           : "Nothing that could be seen disturbs";
  return text + fmt::format("\n{} measurements here{}{}.\n", found,
                            unknown == 0 ? "" : fmt::format("; {} unknown", unknown),
                            notes == 0 ? "" : fmt::format("; {}", plural(notes, "note")));
}

}  // namespace loadline
