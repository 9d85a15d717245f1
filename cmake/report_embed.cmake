# Run at build time (cmake -P) with PAGE and WORK: writes WORK/page.cpp, in which the parts of the page are string
# literals.
cmake_minimum_required(VERSION 3.25)

# A literal that no part can end: no part has this delimiter, or the compiler would say so.
function(literal file result)
  file(READ "${file}" text)
  set(${result} "R\"~page~(${text})~page~\"" PARENT_SCOPE)
endfunction()

literal("${PAGE}/report.css" style)
literal("${PAGE}/charts.js" script)
literal("${PAGE}/training.js" training)
literal("${WORK}/libraries.js" libraries)
file(WRITE "${WORK}/page.cpp" "// Generated from harness/show/report/page/ and the libraries that npm brings.
#include \"harness/show/report/page.h\"

namespace loadline {

Page embedded_page() {
  return {.style = ${style},
          .script = ${script}
                    ${training},
          .libraries = ${libraries}};
}

}  // namespace loadline
")
