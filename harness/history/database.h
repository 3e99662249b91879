// An open history file: SQLite behind plain calls. Private to the folder, as are the statements.
// Knows how the file is opened, locked and refused; refuses to know what is in its tables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace parity::history {

/// One prepared statement. Parameters and columns count from 1 and from 0, as SQLite's do.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql, const std::string& file);
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);  ///< NaN is NULL
  Statement& bind(int index, std::string_view value);
  Statement& bind_null(int index);

  /// The next row; false behind the last one. A statement without rows is run by one call.
  [[nodiscard]] bool step();
  /// Runs it to its end and makes it ready to be bound again.
  void run();
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double number(int column) const;  ///< NULL is NaN
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void check(int code) const;

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string file_;
};

enum class Access : std::uint8_t {
  read,    ///< changes nothing but to undo what a killed command left half done
  change,  ///< a file that is there
  make,    ///< the same, and makes one where there is none
};

class Database {
 public:
  /// Throws Error(usage) where there is none and none is to be made, Error(store) for a file that
  /// is no SQLite database, Error(resource) where it cannot be opened.
  Database(const std::filesystem::path& file, Access access);

  [[nodiscard]] Statement prepare(std::string_view sql) const;
  /// Runs statements that give no rows.
  void execute(const char* sql) const;
  [[nodiscard]] std::int64_t pragma(const char* name) const;
  [[nodiscard]] std::int64_t last_id() const;
  [[nodiscard]] std::int64_t changes() const;
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// Everything until commit() or nothing. Writers wait for each other here.
class Transaction {
 public:
  Transaction(const Database& database, Access access);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Database& database_;
  bool open_ = true;
};

}  // namespace parity::history
