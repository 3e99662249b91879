# LibTorch imported from its own folder (a pip wheel's torch/, a ROCm container's, or an unpacked libtorch), by its
# CPU libraries alone: find_package(Torch) of a CUDA wheel wants nvcc. The CUDA or HIP library is loaded at run time.
set(PARITY_TORCH_DIR "$ENV{PARITY_TORCH_DIR}" CACHE PATH "Folder that holds LibTorch's include/ and lib/")
if(NOT PARITY_TORCH_DIR)
  find_package(Python3 COMPONENTS Interpreter QUIET)
  if(Python3_FOUND)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -c
        "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(PARITY_TORCH_DIR "${found}" CACHE PATH "Folder that holds LibTorch's include/ and lib/" FORCE)
  endif()
endif()
if(NOT EXISTS "${PARITY_TORCH_DIR}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "No LibTorch in '${PARITY_TORCH_DIR}': pass -DPARITY_TORCH_DIR=<folder with include/ and lib/>, "
    "or run scripts/quickstart.sh, which installs one.")
endif()

add_library(parity_torch INTERFACE)
target_include_directories(parity_torch SYSTEM INTERFACE
  ${PARITY_TORCH_DIR}/include ${PARITY_TORCH_DIR}/include/torch/csrc/api/include)
target_link_libraries(parity_torch INTERFACE
  ${PARITY_TORCH_DIR}/lib/libtorch_cpu.so ${PARITY_TORCH_DIR}/lib/libc10.so ${CMAKE_DL_LIBS})
target_link_options(parity_torch INTERFACE -Wl,-rpath,${PARITY_TORCH_DIR}/lib)
