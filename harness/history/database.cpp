#include "history/database.h"

#include <cmath>
#include <limits>
#include <system_error>

#include <sqlite3.h>

#include "error/error.h"

namespace parity::history {
namespace {

namespace fs = std::filesystem;

// Longest that one command waits for another: an addition takes milliseconds, a VACUUM seconds.
constexpr int kPatience_ms = 60'000;

[[noreturn]] void refuse(const std::string& file, int code, const std::string& said) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      throw Error(ErrorKind::store, file +
                                        " is no history of parity, nor any SQLite database; name "
                                        "another file");
    case SQLITE_CORRUPT:
      throw Error(ErrorKind::store,
                  "the history " + file + " is damaged (" + said +
                      "); restore it from a copy, or add the reports to a new one");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(ErrorKind::resource, "the history " + file +
                                           " is held by another process; try again when that is "
                                           "done");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw Error(ErrorKind::usage,
                  "the history " + file + " cannot be written: permission denied");
    case SQLITE_CONSTRAINT:
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
      throw Error(ErrorKind::store,
                  "the history " + file + " does not hold what it should (" + said +
                      "); restore it from a copy, or add the reports to a new one");
    default:
      throw Error(ErrorKind::resource, "the history " + file + " cannot be used: " + said);
  }
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(sqlite3* database, std::string_view sql, const std::string& file)
    : database_(database), file_(file) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  check(code);
}

void Statement::check(int code) const {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  refuse(file_, code, sqlite3_errmsg(database_));
}

Statement& Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index, value));
  return *this;
}

Statement& Statement::bind(int index, double value) {
  check(std::isnan(value) ? sqlite3_bind_null(statement_.get(), index)
                          : sqlite3_bind_double(statement_.get(), index, value));
  return *this;
}

Statement& Statement::bind(int index, std::string_view value) {
  // A null pointer would be bound as NULL.
  check(sqlite3_bind_text64(statement_.get(), index, value.empty() ? "" : value.data(),
                            value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_null(int index) {
  check(sqlite3_bind_null(statement_.get(), index));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  check(code);
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() { check(sqlite3_reset(statement_.get())); }

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::number(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                         : sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size_bytes = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string()
                          : std::string(bytes, static_cast<std::size_t>(size_bytes));
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Database::Database(const fs::path& file, Access access) : file_(file.string()) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    throw Error(ErrorKind::usage, "--db " + file_ + " is a folder; name a file");
  if (access != Access::make && !fs::exists(file, ignored)) {
    throw Error(ErrorKind::usage,
                "there is no history " + file_ + "; parity history add makes one");
  }
  const fs::path parent = file.parent_path();
  if (!parent.empty() && !fs::is_directory(parent, ignored)) {
    throw Error(ErrorKind::usage,
                "--db " + file_ + ": there is no folder " + parent.string() + "; make it first");
  }
  // Also to read: what a killed command left half done is undone by whoever opens the file next.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE |
                    (access == Access::make ? SQLITE_OPEN_CREATE : 0);
  sqlite3* database = nullptr;
  // An absolute path: SQLite gives names such as ":memory:" a meaning of their own.
  const std::string path = fs::absolute(file).string();
  const int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) refuse(file_, code, sqlite3_errmsg(database));
  sqlite3_busy_timeout(database, kPatience_ms);
  execute("PRAGMA foreign_keys = ON");
  if (access == Access::read) execute("PRAGMA query_only = ON");
}

Statement Database::prepare(std::string_view sql) const {
  return Statement(database_.get(), sql, file_);
}

void Database::execute(const char* sql) const {
  const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) refuse(file_, code, sqlite3_errmsg(database_.get()));
}

std::int64_t Database::pragma(const char* name) const {
  Statement statement = prepare(std::string("PRAGMA ") + name);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(database_.get()); }
std::int64_t Database::changes() const { return sqlite3_changes(database_.get()); }

Transaction::Transaction(const Database& database, Access access) : database_(database) {
  database_.execute(access == Access::read ? "BEGIN" : "BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {
    // SQLite has rolled it back itself, or does when the file is closed.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace parity::history
