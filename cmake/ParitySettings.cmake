# Settings and warnings as INTERFACE targets, linked privately and never applied to third-party code.
add_library(parity_settings INTERFACE)
target_compile_features(parity_settings INTERFACE cxx_std_20)
# Comparing rounding errors needs IEEE arithmetic as written: no value-changing optimisation, no contraction.
target_compile_options(parity_settings INTERFACE -fno-fast-math -ffp-contract=off)
target_include_directories(parity_settings INTERFACE ${PROJECT_SOURCE_DIR}/harness)
if(PARITY_SANITIZE)
  target_compile_options(parity_settings INTERFACE
    -fsanitize=${PARITY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(parity_settings INTERFACE -fsanitize=${PARITY_SANITIZE})
endif()

add_library(parity_warnings INTERFACE)
target_compile_options(parity_warnings INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -Wnon-virtual-dtor
  # g++ 12 alone sees overlapping copies in `"text" + std::string` where there are none (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${PARITY_WERROR}>:-Werror>)

# parity_add_library(<folder> SOURCES ... [LINK ...] [PRIVATE_LINK ...]): one static library target per folder of
# harness/.
function(parity_add_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(parity_${folder} STATIC ${ARG_SOURCES})
  target_link_libraries(parity_${folder}
    PUBLIC ${ARG_LINK}
    PRIVATE parity_settings parity_warnings ${ARG_PRIVATE_LINK})
  target_include_directories(parity_${folder} PUBLIC ${PROJECT_SOURCE_DIR}/harness)
  target_compile_features(parity_${folder} PUBLIC cxx_std_20)
endfunction()

# parity_add_test(<name> SOURCES ... LINK ... LABEL unit|cli|mutation|device): one GoogleTest binary.
function(parity_add_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE parity_settings parity_warnings ${ARG_LINK} GTest::gtest GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL})
endfunction()

# parity_add_skipped_test(<name> <reason>): stands for tests that cannot be registered here, so that CTest lists them as
# not run instead of saying nothing.
function(parity_add_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E env sh -c "echo 'SKIPPED: ${reason}'; exit 77")
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
