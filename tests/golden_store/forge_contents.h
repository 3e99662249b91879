// Changes what is inside a golden with plain HDF5 calls and seals it again, the way someone who
// wants to harm a reader would.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <H5Cpp.h>
#include <gtest/gtest.h>

#include "error/error.h"
#include "golden_store/forge.h"
#include "golden_store/golden_reader.h"
#include "golden_store/sample_golden.h"
#include "golden_store/scratch_folder.h"

namespace parity::golden_store::testing {

/// Where the sample's only case lies.
constexpr const char* kIndex = "cases/000000/index/";
constexpr const char* kTaps = "cases/000000/taps/";
constexpr const char* kInputs = "cases/000000/inputs/";

/// Opens a golden for changes as any HDF5 program could, and seals it again at the end.
inline void forge(const std::filesystem::path& path,
                  const std::function<void(H5::H5File&)>& change) {
  {
    H5::Exception::dontPrint();
    H5::FileAccPropList access;
    access.setLibverBounds(H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5::H5File file(path.string(), H5F_ACC_RDWR, H5::FileCreatPropList::DEFAULT, access);
    try {
      change(file);
    } catch (const H5::Exception& failure) {
      throw std::runtime_error("cannot forge: " + failure.getDetailMsg());
    }
  }
  reseal(path);
}

inline void read_everything(const std::filesystem::path& path) {
  const GoldenReader reader(path);
  for (std::size_t c = 0; c < reader.cases().size(); ++c) {
    static_cast<void>(reader.read_inputs(c));
    for (std::size_t t = 0; t < reader.cases()[c].taps.size(); ++t)
      static_cast<void>(reader.read_tap(c, t));
  }
}

using Change = std::function<void(H5::H5File&)>;

/// Replaces dataset `name` by one of `type` and `dimensions`, written only where `bytes` are given.
inline Change replace(const std::string& name, const H5::DataType& type,
                      std::vector<hsize_t> dimensions, std::vector<std::byte> bytes,
                      const H5::DSetCreatPropList& properties = {}) {
  return [=](H5::H5File& file) {
    file.unlink(name);
    const H5::DataSpace space =
        dimensions.empty() ? H5::DataSpace(H5S_SCALAR)
                           : H5::DataSpace(static_cast<int>(dimensions.size()), dimensions.data());
    const H5::DataSet dataset = file.createDataSet(name, type, space, properties);
    if (!bytes.empty()) dataset.write(static_cast<const void*>(bytes.data()), type);
  };
}

template <typename Number>
inline Change replace_integers(const std::string& name, std::vector<hsize_t> dimensions,
                               const std::vector<Number>& values) {
  const H5::PredType& type =
      sizeof(Number) == 8 ? H5::PredType::STD_I64LE : H5::PredType::STD_I32LE;
  return replace(name, type, std::move(dimensions), bytes_of(values));
}

inline H5::StrType text(std::size_t width) {
  H5::StrType type(H5::PredType::C_S1, width);
  type.setStrpad(H5T_STR_NULLTERM);
  return type;
}

/// A text column of three rows of eight bytes.
inline Change replace_texts(const std::string& name, const std::vector<std::string>& values) {
  std::string bytes;
  for (std::string value : values) {
    value.resize(8, '\0');
    bytes += value;
  }
  return replace(name, text(8), {values.size()},
                 bytes_of(std::vector<char>(bytes.begin(), bytes.end())));
}

inline Change unlink(const std::string& name) {
  return [name](H5::H5File& file) { file.unlink(name); };
}

struct Forgery {
  std::string what;
  Change change;
  std::string reason;
};

inline std::string path_of(const char* folder, const std::string& name) { return folder + name; }

/// Every row of `table` is refused, for its reason, in one line.
inline void expect_refused(const std::vector<Forgery>& table) {
  const ScratchFolder folder;
  const std::filesystem::path golden = folder / "golden.h5";
  for (const Forgery& forgery : table) {
    SCOPED_TRACE(forgery.what);
    write_sample(golden, small_golden());
    try {
      forge(golden, forgery.change);
      read_everything(golden);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_NE(std::string(error.what()).find(forgery.reason), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

}  // namespace parity::golden_store::testing
