# Run at build time (cmake -P) with RESULTS, GLOSSARY and WORK: writes WORK/pages.cpp, in which the glossary, and the
# section of RESULTS about the ids of warnings, are string literals.
cmake_minimum_required(VERSION 3.25)

# The delimiter is one that no page contains; otherwise the compiler would fail.
file(READ "${GLOSSARY}" glossary)
file(READ "${RESULTS}" results)
string(FIND "${results}" "\n### Warning ids\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${RESULTS} has no section 'Warning ids', whose table `loadline help` shows")
endif()
string(SUBSTRING "${results}" ${begin} -1 warnings)
string(FIND "${warnings}" "\n## " end)
string(SUBSTRING "${warnings}" 0 ${end} warnings)
file(WRITE "${WORK}/pages.cpp" "// Generated from results/README.md and docs/glossary.md.
#include \"harness/cli/help_words.h\"

namespace loadline {

WordPages embedded_word_pages() {
  return {.warnings = R\"~page~(${warnings})~page~\",
          .glossary = R\"~page~(${glossary})~page~\"};
}

}  // namespace loadline
")
