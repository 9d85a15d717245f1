# cmake -D TOOL=loadline -D PREFIX=/usr/local -D ZSH=site-functions -P cmake/manual.cmake: writes the tool's documentation
# below the prefix: a page for man(1) of each verb, and the completions for bash, zsh, in this folder of share/zsh, and
# fish. Prints the files, one to a line.

function(say variable)
  execute_process(COMMAND "${TOOL}" ${ARGN} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${said}" PARENT_SCOPE)
endfunction()

function(put file text)
  file(WRITE "${PREFIX}/${file}" "${text}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${PREFIX}/${file}")
endfunction()

# The verbs below these words, as the tool offers them to a shell: a verb, a tab, and what it does.
function(verbs_below variable)
  # Not by say(): ARGN would lose the empty word.
  execute_process(COMMAND "${TOOL}" __complete ${ARGN} "" OUTPUT_VARIABLE offers COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" offers "${offers}")
  set(verbs)
  foreach(offer IN LISTS offers)
    if(offer MATCHES "^([a-z]+)\t")
      list(APPEND verbs "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(${variable} "${verbs}" PARENT_SCOPE)
endfunction()

function(put_page)
  list(JOIN ARGN "-" name)
  say(page help --man ${ARGN})
  if(name)
    string(PREPEND name "-")
  endif()
  put("share/man/man1/loadline${name}.1" "${page}")
endfunction()

put_page()
verbs_below(verbs)
foreach(verb IN LISTS verbs)
  put_page(${verb})
  if(verb MATCHES "^(data|baseline)$")
    verbs_below(below ${verb})
    foreach(one IN LISTS below)
      put_page(${verb} ${one})
    endforeach()
  endif()
endforeach()

say(bash completion bash)
say(zsh completion zsh)
say(fish completion fish)
put(share/bash-completion/completions/loadline "${bash}")
put("share/zsh/${ZSH}/_loadline" "${zsh}")
put(share/fish/vendor_completions.d/loadline.fish "${fish}")
