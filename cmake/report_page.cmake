# The parts of the page of `loadline report`, in the tool: the style and the script of harness/show/report/page/, and
# from npm the libraries that draw its charts. The build fetches these into the build directory, never while
# configuring. Without them reports have tables only, and say so.

set(LOADLINE_CHARTS AUTO CACHE STRING
  "Charts in reports: ON (needs npm, and a network the first time), OFF, or AUTO (where they can be had)")
set_property(CACHE LOADLINE_CHARTS PROPERTY STRINGS AUTO ON OFF)
find_program(LOADLINE_NPM npm)
mark_as_advanced(LOADLINE_NPM)
if(LOADLINE_CHARTS STREQUAL "ON" AND NOT LOADLINE_NPM)
  message(FATAL_ERROR "LOADLINE_CHARTS=ON needs npm, which is not in PATH; use AUTO or OFF to build without charts")
endif()

# The parts of the script, in this order: the last one starts it. A file with charts of its own goes before that.
set(LOADLINE_PAGE_SCRIPTS tables.js parts.js rates.js scaling.js times.js run.js training.js ranks.js forecast.js page.js)

# Lets `target` define embedded_page().
function(loadline_embed_report_page target)
  set(page "${PROJECT_SOURCE_DIR}/harness/show/report/page")
  set(work "${PROJECT_BINARY_DIR}/report_page")
  set(scripts "${PROJECT_SOURCE_DIR}/cmake")
  set(npm "${LOADLINE_NPM}")
  if(NOT npm OR NOT LOADLINE_CHARTS)
    set(npm "")
  endif()
  file(GENERATE OUTPUT "${work}/npm.txt" CONTENT "${LOADLINE_CHARTS} ${npm}\n")  # so that a change of either builds anew
  add_custom_command(OUTPUT "${work}/libraries.js"
    COMMAND "${CMAKE_COMMAND}" -D "NPM=${npm}" -D "REQUIRED=${LOADLINE_CHARTS}" -D "PAGE=${page}" -D "WORK=${work}"
      -P "${scripts}/report_libraries.cmake"
    DEPENDS "${page}/package.json" "${page}/package-lock.json" "${work}/npm.txt" "${scripts}/report_libraries.cmake"
    COMMENT "Getting what draws the charts of reports"
    VERBATIM)
  list(TRANSFORM LOADLINE_PAGE_SCRIPTS PREPEND "${page}/" OUTPUT_VARIABLE paths)
  add_custom_command(OUTPUT "${work}/page.cpp"
    COMMAND "${CMAKE_COMMAND}" -D "PAGE=${page}" -D "WORK=${work}" -D "SCRIPTS=${LOADLINE_PAGE_SCRIPTS}"
      -P "${scripts}/report_embed.cmake"
    DEPENDS "${page}/report.css" ${paths} "${work}/libraries.js" "${scripts}/report_embed.cmake"
    COMMENT "Embedding the page of reports"
    VERBATIM)
  target_sources(${target} PRIVATE "${work}/page.cpp")
endfunction()
