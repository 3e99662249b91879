// Tables as parallel one-dimensional datasets of equal length: text columns of fixed width, 64-bit
// numbers, shapes. Knows no meaning of what it stores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <H5Cpp.h>

#include "tensor/digest.h"
#include "tensor/shape.h"

namespace parity::golden_store {

/// Writes the columns of one table into a group, which has to outlive it.
class TableWriter {
 public:
  explicit TableWriter(const H5::Group& group) : group_(group) {}

  /// UTF-8, one zero byte wider than the longest; throws Malformed for a text that ends in a zero
  /// byte.
  void texts(const std::string& name, const std::vector<std::string>& values) const;
  void integers(const std::string& name, const std::vector<std::int64_t>& values) const;
  void reals(const std::string& name, const std::vector<double>& values) const;
  void digests(const std::string& name, const std::vector<tensor::Digest>& values) const;
  /// Two columns: `rank` and `shape`, the latter with one row per entry, padded with zeros.
  void shapes(const std::vector<tensor::Shape>& values) const;

 private:
  const H5::Group& group_;
};

/// Reads the columns of one table; every one has to have the same number of rows. Throws Malformed.
class TableReader {
 public:
  /// The number of rows is that of the column `first_column`.
  TableReader(const H5::Group& group, std::string where, const std::string& first_column,
              std::uint64_t file_bytes);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const;
  /// A column that may have another number of rows.
  [[nodiscard]] std::vector<std::int64_t> free_integers(const std::string& name) const;
  [[nodiscard]] std::vector<double> reals(const std::string& name) const;
  [[nodiscard]] std::vector<tensor::Digest> digests(const std::string& name) const;
  [[nodiscard]] std::vector<tensor::Shape> shapes() const;
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  enum class Length { same_rows, any };
  template <typename Number>
  [[nodiscard]] std::vector<Number> numbers(const std::string& name, const H5::DataType& type,
                                            Length length) const;
  [[nodiscard]] std::string place(const std::string& name) const;

  H5::Group group_;
  std::string where_;
  std::uint64_t file_bytes_;
  std::size_t rows_ = 0;
};

}  // namespace parity::golden_store
