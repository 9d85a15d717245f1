# Run at build time (cmake -P) with SOURCE_DIR, INPUT and OUTPUT: puts the git state into the header.

set(LOADLINE_GIT_REVISION unknown)
set(LOADLINE_GIT_DIRTY false)

function(git result)
  # Read-only use: no lock that could disturb a git command of the user running at the same time.
  execute_process(COMMAND "${GIT}" --no-optional-locks ${ARGN} WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(output "")
  endif()
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

find_program(GIT git)
# A source tree unpacked inside somebody else's repository has a .git above it that is not ours.
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
  git(revision rev-parse --verify HEAD)
  if(revision)
    set(LOADLINE_GIT_REVISION "${revision}")
    # Untracked files are left out: none takes part in the build unless a tracked source list names it.
    git(changes status --porcelain --untracked-files=no)
    if(changes)
      set(LOADLINE_GIT_DIRTY true)
    endif()
  endif()
endif()

configure_file("${INPUT}" "${OUTPUT}" @ONLY)
