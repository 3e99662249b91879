# Third-party libraries from the distribution's packages, each behind one name.
find_package(fmt REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)
find_package(HDF5 1.10 REQUIRED COMPONENTS CXX C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
if(HWY_VERSION VERSION_LESS 1.0 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Below SSSE3 this Highway (Ubuntu 22.04's) knows only one-lane scalar code, which kernels over fixed-size vectors do
  # not fit. Every x86-64 processor since 2006 has SSSE3; later instruction sets are still chosen at run time.
  set_property(TARGET PkgConfig::HWY APPEND PROPERTY INTERFACE_COMPILE_OPTIONS -mssse3)
endif()
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)

add_library(parity_hdf5 INTERFACE)
target_include_directories(parity_hdf5 SYSTEM INTERFACE ${HDF5_CXX_INCLUDE_DIRS} ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(parity_hdf5 INTERFACE ${HDF5_CXX_LIBRARIES} ${HDF5_C_LIBRARIES})
