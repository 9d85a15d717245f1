# Run at build time (cmake -P) with NPM (empty: no charts), REQUIRED (ON: the build fails without charts), PAGE and
# WORK: writes WORK/libraries.js, the minified libraries after their licences; empty if npm cannot get them.
cmake_minimum_required(VERSION 3.25)

function(without_charts reason)
  if(REQUIRED STREQUAL "ON")
    message(FATAL_ERROR "reports: ${reason}")
  endif()
  message(WARNING "reports will have tables and no charts: ${reason}. To try again: rm ${WORK}/libraries.js")
endfunction()

# The licences of everything in the bundles, each text once, under the packages that it covers.
function(licences_of modules result)
  file(GLOB files LIST_DIRECTORIES FALSE "${modules}/vega*/LICENSE*" "${modules}/d3-*/LICENSE*"
    "${modules}/topojson-*/LICENSE*" "${modules}/internmap/LICENSE*" "${modules}/delaunator/LICENSE*"
    "${modules}/robust-predicates/LICENSE*")
  set(digests)
  foreach(file IN LISTS files)
    get_filename_component(package "${file}" DIRECTORY)
    file(READ "${package}/package.json" json)
    string(JSON name GET "${json}" name)
    string(JSON version GET "${json}" version)
    file(SHA256 "${file}" digest)
    list(APPEND digests ${digest})
    list(APPEND packages_${digest} "${name} ${version}")
    set(file_${digest} "${file}")
  endforeach()
  list(REMOVE_DUPLICATES digests)
  set(text "")
  foreach(digest IN LISTS digests)
    file(READ "${file_${digest}}" licence)
    list(JOIN packages_${digest} ", " packages)
    string(APPEND text "${packages}\n\n${licence}\n")
  endforeach()
  set(${result} "/*!\n${text}*/\n" PARENT_SCOPE)
endfunction()

file(WRITE "${WORK}/libraries.js" "")
if(NOT NPM)
  return()
endif()
file(COPY "${PAGE}/package.json" "${PAGE}/package-lock.json" DESTINATION "${WORK}")
# The packages' own scripts are not needed. A missing network is noticed in seconds.
execute_process(
  COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
    --fetch-retry-mintimeout=1000 --fetch-timeout=60000 --loglevel=error
  WORKING_DIRECTORY "${WORK}" TIMEOUT 300
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  string(STRIP "${output}" output)
  without_charts("npm ci failed (${status}): ${output}")
  return()
endif()
set(modules "${WORK}/node_modules")
licences_of("${modules}" text)
foreach(bundle IN ITEMS vega/build/vega.min.js vega-lite/build/vega-lite.min.js)
  file(READ "${modules}/${bundle}" library)
  # These lines name files that nobody has.
  string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*" "" library "${library}")
  # This would end the element that holds the libraries.
  if(library MATCHES "</script|<!--")
    without_charts("${bundle} cannot stand in a page")
    return()
  endif()
  string(APPEND text "${library}\n")
endforeach()
file(WRITE "${WORK}/libraries.js" "${text}")
