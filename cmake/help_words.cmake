# The words that `loadline help` explains besides verbs and options, in the tool: the tables of results/README.md and
# docs/glossary.md, which people also read as pages.

# Lets `target` define embedded_word_pages().
function(loadline_embed_help_words target)
  set(work "${PROJECT_BINARY_DIR}/help_words")
  set(results "${PROJECT_SOURCE_DIR}/results/README.md")
  set(glossary "${PROJECT_SOURCE_DIR}/docs/glossary.md")
  set(script "${PROJECT_SOURCE_DIR}/cmake/help_words_embed.cmake")
  add_custom_command(OUTPUT "${work}/pages.cpp"
    COMMAND "${CMAKE_COMMAND}" -D "RESULTS=${results}" -D "GLOSSARY=${glossary}" -D "WORK=${work}" -P "${script}"
    DEPENDS "${results}" "${glossary}" "${script}"
    COMMENT "Embedding the words of help"
    VERBATIM)
  target_sources(${target} PRIVATE "${work}/pages.cpp")
endfunction()
