# parity_embed_page(<target> HEADER <h> NAMESPACE <n> FUNCTION <f> PAGE <html> STYLES <css>... SCRIPTS <js>...): adds to a
# library the parts of a web page, embedded when it is built. HEADER declares `PageParts FUNCTION();`.
function(parity_embed_page target)
  cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;FUNCTION;PAGE" "STYLES;SCRIPTS" ${ARGN})
  set(inputs ${ARG_PAGE} ${ARG_STYLES} ${ARG_SCRIPTS})
  list(TRANSFORM inputs PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  foreach(list STYLES SCRIPTS)
    list(TRANSFORM ARG_${list} PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    list(JOIN ARG_${list} "|" ${list})
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${ARG_HEADER} -DNAMESPACE=${ARG_NAMESPACE}
      -DFUNCTION=${ARG_FUNCTION} -DPAGE=${CMAKE_CURRENT_SOURCE_DIR}/${ARG_PAGE} -DSTYLES=${STYLES} -DSCRIPTS=${SCRIPTS}
      -P ${script}
    DEPENDS ${inputs} ${script}
    COMMENT "Embedding ${ARG_PAGE}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
