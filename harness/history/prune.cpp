// Taking old nights out: which ones is decided here, from times and states alone.
#include <algorithm>
#include <set>
#include <system_error>

#include "error/error.h"
#include "history/database.h"
#include "history/moment.h"
#include "history/schema.h"
#include "history/store.h"

namespace parity::history {
namespace {

constexpr std::int64_t kDay_s = 86'400;

struct Night {
  std::int64_t id = 0;
  std::int64_t time_s = 0;
  enum class Kind : std::uint8_t { passed, failed, unjudged } kind = Kind::unjudged;
};

std::vector<Night> nights_of(const Database& database, std::int64_t series) {
  std::vector<Night> nights;
  Statement rows = database.prepare(
      "SELECT id, time, passed FROM run WHERE series_id = ? ORDER BY time, digest");
  rows.bind(1, series);
  while (rows.step()) {
    const Night::Kind kind = rows.is_null(2)        ? Night::Kind::unjudged
                             : rows.integer(2) == 1 ? Night::Kind::passed
                                                    : Night::Kind::failed;
    nights.push_back({rows.integer(0), rows.integer(1), kind});
  }
  return nights;
}

/// How many of the oldest are old by the rules; the newest never is.
std::size_t count_old(const std::vector<Night>& nights, const Retention& retention) {
  std::size_t old = 0;
  if (retention.keep_days) {
    const std::int64_t oldest_kept_s = nights.back().time_s - *retention.keep_days * kDay_s;
    while (nights[old].time_s < oldest_kept_s) ++old;
  }
  if (retention.keep_runs) {
    const auto kept = static_cast<std::size_t>(*retention.keep_runs);
    if (nights.size() > kept) old = std::max(old, nights.size() - kept);
  }
  return std::min(old, nights.size() - 1);
}

std::vector<std::int64_t> doomed(const std::vector<Night>& nights, std::size_t old,
                                 Thinning thinning) {
  std::vector<std::int64_t> ids;
  std::set<std::string> months;
  constexpr std::size_t kMonthLength = 7;  // "2026-10"
  for (std::size_t i = 0; i < old; ++i) {
    const Night& night = nights[i];
    const bool stays = thinning == Thinning::monthly &&
                       (night.kind == Night::Kind::failed ||
                        (night.kind == Night::Kind::passed &&
                         months.insert(day_text(night.time_s).substr(0, kMonthLength)).second));
    if (!stays) ids.push_back(night.id);
  }
  return ids;
}

void remove_orphans(const Database& database) {
  database.execute(
      "DELETE FROM environment WHERE id NOT IN (SELECT reference_id FROM run WHERE reference_id "
      "IS NOT NULL UNION SELECT candidate_id FROM run WHERE candidate_id IS NOT NULL);"
      "DELETE FROM place WHERE id NOT IN (SELECT place_id FROM tap_result UNION SELECT place_id "
      "FROM logits_result UNION SELECT place_id FROM blame UNION SELECT place_id FROM noise UNION "
      "SELECT first_divergence_id FROM run WHERE first_divergence_id IS NOT NULL)");
}

std::vector<std::int64_t> series_ids(const Database& database, const std::string& name) {
  std::vector<std::int64_t> ids;
  Statement rows = database.prepare("SELECT id FROM series WHERE ?1 = '' OR name = ?1 ORDER BY id");
  rows.bind(1, name);
  while (rows.step()) ids.push_back(rows.integer(0));
  if (ids.empty()) {
    throw Error(ErrorKind::usage,
                "the history " + database.file() + " has no series '" + name + "'");
  }
  return ids;
}

void prune_series(const Database& database, std::int64_t series, const Retention& retention,
                  Pruned& pruned) {
  const std::vector<Night> nights = nights_of(database, series);
  if (nights.empty()) return;
  const std::size_t old = count_old(nights, retention);
  const std::vector<std::int64_t> ids = doomed(nights, old, retention.thinning);
  Statement remove = database.prepare("DELETE FROM run WHERE id = ?");
  for (const std::int64_t id : ids) remove.bind(1, id).run();
  pruned.removed += static_cast<std::int64_t>(ids.size());
  pruned.kept += static_cast<std::int64_t>(nights.size() - ids.size());
  if (ids.empty()) return;
  database.prepare("UPDATE series SET pruned_before = max(pruned_before, ?) WHERE id = ?")
      .bind(1, nights[old].time_s)
      .bind(2, series)
      .run();
}

std::int64_t size_bytes(const std::filesystem::path& file) {
  std::error_code ignored;
  return static_cast<std::int64_t>(std::filesystem::file_size(file, ignored));
}

}  // namespace

Pruned prune(const std::filesystem::path& file, const Retention& retention) {
  Pruned pruned;
  const Database database(file, Access::change);
  pruned.before_bytes = size_bytes(file);
  {
    Transaction transaction(database, Access::change);
    check_readable(database);
    for (const std::int64_t series : series_ids(database, retention.series))
      prune_series(database, series, retention, pruned);
    remove_orphans(database);
    transaction.commit();
  }
  if (pruned.removed > 0) database.execute("VACUUM");
  pruned.after_bytes = size_bytes(file);
  return pruned;
}

}  // namespace parity::history
