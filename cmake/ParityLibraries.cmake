# Third-party libraries from the distribution's packages, each behind one name.
find_package(fmt REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
find_package(HDF5 1.10 REQUIRED COMPONENTS CXX C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)

add_library(parity_hdf5 INTERFACE)
target_include_directories(parity_hdf5 SYSTEM INTERFACE ${HDF5_CXX_INCLUDE_DIRS} ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(parity_hdf5 INTERFACE ${HDF5_CXX_LIBRARIES} ${HDF5_C_LIBRARIES})
