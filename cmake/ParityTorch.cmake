# LibTorch imported from its own folder (a pip wheel's torch/, a ROCm container's, or an unpacked libtorch), by its
# CPU libraries alone: find_package(Torch) of a CUDA wheel wants nvcc. The CUDA or HIP library is loaded at run time.
# Taken from PARITY_TORCH_DIR, else the active python3's torch, else the one quickstart.sh put into .venv.
set(PARITY_TORCH_DIR "$ENV{PARITY_TORCH_DIR}" CACHE PATH "Folder that holds LibTorch's include/ and lib/")
set(PARITY_TORCH_HELP
  "Pass -DPARITY_TORCH_DIR=<folder with include/ and lib/>, or run scripts/quickstart.sh, which installs one.")

# Sets PARITY_TORCH_DIR to the torch/ folder of `python`, if it has one.
function(parity_torch_of_python python)
  execute_process(
    COMMAND "${python}" -c
      "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS "${found}/lib/libtorch_cpu.so")
    set(PARITY_TORCH_DIR "${found}" CACHE PATH "Folder that holds LibTorch's include/ and lib/" FORCE)
  endif()
endfunction()

# Refuses a LibTorch that would fail later with riddles: too old, or built with the old C++ ABI (wheels up to 2.5,
# and some 2.6 ones), whose std::string is not the one of the distribution's libraries.
function(parity_check_torch)
  foreach(path IN ITEMS torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(NOT lines AND EXISTS "${PARITY_TORCH_DIR}/include/${path}")
      file(STRINGS "${PARITY_TORCH_DIR}/include/${path}" lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
    endif()
  endforeach()
  string(REGEX REPLACE "[^0-9;]" "" numbers "${lines}")
  string(REPLACE ";" "." version "${numbers}")
  if(version VERSION_LESS 2.6)
    message(FATAL_ERROR "LibTorch in '${PARITY_TORCH_DIR}' is version '${version}'; 2.6 or newer is needed. "
      "${PARITY_TORCH_HELP}")
  endif()
  file(STRINGS "${PARITY_TORCH_DIR}/lib/libc10.so" new_abi REGEX "__cxx11" LIMIT_COUNT 1)
  if(NOT new_abi)
    message(FATAL_ERROR "LibTorch ${version} in '${PARITY_TORCH_DIR}' was built with the old C++ ABI; use the wheel of "
      "2.7 or newer. ${PARITY_TORCH_HELP}")
  endif()
  message(STATUS "LibTorch ${version} in ${PARITY_TORCH_DIR}")
endfunction()

if(NOT PARITY_TORCH_DIR)
  # The first python3 on PATH, as the user's shell sees it; find_package(Python3) would prefer the newest one.
  find_program(PARITY_ACTIVE_PYTHON python3)
  foreach(python IN ITEMS "${PARITY_ACTIVE_PYTHON}" "${PROJECT_SOURCE_DIR}/.venv/bin/python3")
    if(NOT PARITY_TORCH_DIR AND EXISTS "${python}")
      parity_torch_of_python("${python}")
    endif()
  endforeach()
endif()
if(NOT EXISTS "${PARITY_TORCH_DIR}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "No LibTorch in '${PARITY_TORCH_DIR}'. ${PARITY_TORCH_HELP}")
endif()
parity_check_torch()

add_library(parity_torch INTERFACE)
target_include_directories(parity_torch SYSTEM INTERFACE
  ${PARITY_TORCH_DIR}/include ${PARITY_TORCH_DIR}/include/torch/csrc/api/include)
target_link_libraries(parity_torch INTERFACE
  ${PARITY_TORCH_DIR}/lib/libtorch_cpu.so ${PARITY_TORCH_DIR}/lib/libc10.so ${CMAKE_DL_LIBS})
target_link_options(parity_torch INTERFACE -Wl,-rpath,${PARITY_TORCH_DIR}/lib)
