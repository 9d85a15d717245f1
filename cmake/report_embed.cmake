# Run at build time (cmake -P) with PAGE, SCRIPTS and WORK: writes WORK/page.cpp, in which the parts of the page are
# string literals; the scripts are one literal, in their order.
cmake_minimum_required(VERSION 3.25)

# A literal with a delimiter that no part contains; otherwise the compiler would fail.
function(literal file result)
  file(READ "${file}" text)
  set(${result} "R\"~page~(${text})~page~\"" PARENT_SCOPE)
endfunction()

literal("${PAGE}/report.css" style)
set(script "")
foreach(file IN LISTS SCRIPTS)
  literal("${PAGE}/${file}" part)
  string(APPEND script "\n          ${part}")  # literals side by side are one
endforeach()
literal("${WORK}/libraries.js" libraries)
file(WRITE "${WORK}/page.cpp" "// Generated from harness/show/report/page/ and the libraries that npm brings.
#include \"harness/show/report/page.h\"

namespace loadline {

Page embedded_page() {
  return {.style = ${style},
          .script = ${script},
          .libraries = ${libraries}};
}

}  // namespace loadline
")
