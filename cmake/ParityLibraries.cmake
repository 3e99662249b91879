# Third-party libraries from the distribution's packages, each behind one name.
find_package(fmt REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(HDF5 1.10 REQUIRED COMPONENTS CXX C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

add_library(parity_hdf5 INTERFACE)
target_include_directories(parity_hdf5 SYSTEM INTERFACE ${HDF5_CXX_INCLUDE_DIRS} ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(parity_hdf5 INTERFACE ${HDF5_CXX_LIBRARIES} ${HDF5_C_LIBRARIES})

# Used as headers alone: the distributions differ in whether they ship a library beside them.
find_path(PARITY_TOML_INCLUDE toml++/toml.h REQUIRED)
add_library(parity_toml INTERFACE)
target_include_directories(parity_toml SYSTEM INTERFACE ${PARITY_TOML_INCLUDE})
target_compile_definitions(parity_toml INTERFACE TOML_HEADER_ONLY=1)

pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.37)
add_library(parity_sqlite INTERFACE)
target_link_libraries(parity_sqlite INTERFACE PkgConfig::SQLITE)
