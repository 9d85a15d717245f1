#include "harness/show/checkup_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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
  const auto disturb = std::ranges::count(rows, Health::kDisturbs, &Symptom::health);
  const auto notes = std::ranges::count(rows, Health::kNote, &Symptom::health);
  if (disturb == 0 && notes == 0) return text + "\nNothing disturbs measurements here.\n";
  if (disturb == 0)
    return text +
           fmt::format("\nNothing disturbs measurements here; {}.\n", plural(static_cast<std::size_t>(notes), "note"));
  return text + fmt::format("\n{} disturb{} measurements here{}.\n",
                            disturb == 1 ? "1 thing" : fmt::format("{} things", disturb), disturb == 1 ? "s" : "",
                            notes == 0 ? "" : fmt::format("; {}", plural(static_cast<std::size_t>(notes), "note")));
}

}  // namespace loadline
