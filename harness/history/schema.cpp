#include "history/schema.h"

#include <array>
#include <string>

#include "error/error.h"

namespace parity::history {
namespace {

// Version n is made from version n-1 by step n. A step that has been released is never changed.
constexpr const char* kFirstLayout = R"sql(
CREATE TABLE series(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  pruned_before INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE environment(
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE fact(
  environment_id INTEGER NOT NULL REFERENCES environment(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(environment_id, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE place(
  id INTEGER PRIMARY KEY,
  case_name TEXT NOT NULL,
  tap TEXT NOT NULL,
  UNIQUE(case_name, tap)
) STRICT;
CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  series_id INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  time INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('judged', 'not run', 'no judgement', 'infrastructure')),
  digest TEXT NOT NULL,
  exit_code INTEGER,
  passed INTEGER CHECK(passed IN (0, 1)),
  reason TEXT NOT NULL,
  link TEXT NOT NULL,
  model TEXT NOT NULL,
  policy TEXT NOT NULL,
  reference_id INTEGER REFERENCES environment(id),
  candidate_id INTEGER REFERENCES environment(id),
  first_divergence_id INTEGER REFERENCES place(id),
  suspect INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  seconds REAL NOT NULL,
  UNIQUE(series_id, digest),
  CHECK((state = 'judged') = (passed IS NOT NULL)),
  CHECK((state = 'judged') = (reference_id IS NOT NULL AND candidate_id IS NOT NULL))
) STRICT;
CREATE INDEX run_by_time ON run(series_id, time);
CREATE INDEX run_by_reference ON run(reference_id);
CREATE INDEX run_by_candidate ON run(candidate_id);
CREATE INDEX run_by_first_divergence ON run(first_divergence_id);
CREATE TABLE case_result(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  case_name TEXT NOT NULL,
  passed INTEGER NOT NULL CHECK(passed IN (0, 1)),
  PRIMARY KEY(run_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE tap_result(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  place_id INTEGER NOT NULL REFERENCES place(id),
  kind TEXT NOT NULL,
  dtype TEXT NOT NULL,
  verdict TEXT NOT NULL,
  nrmse REAL,
  ulp_p99 REAL,
  introduced_nrmse REAL,
  max_error_over_rms REAL,
  exact_share REAL,
  truth_ratio REAL,
  PRIMARY KEY(run_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX tap_result_by_place ON tap_result(place_id, run_id);
CREATE TABLE logits_result(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  place_id INTEGER NOT NULL REFERENCES place(id),
  kind TEXT NOT NULL,
  dtype TEXT NOT NULL,
  verdict TEXT NOT NULL,
  kl_mean REAL,
  kl_max REAL,
  flips REAL,
  decided_flips REAL,
  top1_agreement REAL,
  PRIMARY KEY(run_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX logits_result_by_place ON logits_result(place_id, run_id);
CREATE TABLE noise(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  place_id INTEGER NOT NULL REFERENCES place(id),
  metric TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY(run_id, place_id, metric)
) STRICT, WITHOUT ROWID;
CREATE INDEX noise_by_place ON noise(place_id);
CREATE TABLE blame(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  place_id INTEGER NOT NULL REFERENCES place(id),
  introduced_nrmse REAL,
  share REAL,
  PRIMARY KEY(run_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX blame_by_place ON blame(place_id);
CREATE VIEW nightly_run AS
  SELECT run.id AS run_id, series.name AS series, run.time, run.state, run.passed, run.exit_code,
    run.reason, run.link, run.model, run.policy, run.suspect, run.failed, run.seconds,
    place.case_name AS first_divergence_case, place.tap AS first_divergence_tap,
    run.reference_id, run.candidate_id
  FROM run JOIN series ON series.id = run.series_id
    LEFT JOIN place ON place.id = run.first_divergence_id;
CREATE VIEW nightly_tap AS
  SELECT series.name AS series, run.time, place.case_name, place.tap, tap_result.position,
    tap_result.kind, tap_result.dtype, tap_result.verdict, tap_result.nrmse, tap_result.ulp_p99,
    tap_result.introduced_nrmse, tap_result.max_error_over_rms, tap_result.exact_share,
    tap_result.truth_ratio, run.id AS run_id
  FROM tap_result JOIN run ON run.id = tap_result.run_id JOIN series ON series.id = run.series_id
    JOIN place ON place.id = tap_result.place_id;
CREATE VIEW nightly_logits AS
  SELECT series.name AS series, run.time, place.case_name, place.tap, logits_result.verdict,
    logits_result.kl_mean, logits_result.kl_max, logits_result.flips, logits_result.decided_flips,
    logits_result.top1_agreement, run.id AS run_id
  FROM logits_result JOIN run ON run.id = logits_result.run_id
    JOIN series ON series.id = run.series_id JOIN place ON place.id = logits_result.place_id;
)sql";

// What the names of a night's golden, weights and policy stood for; nights from before do not say.
constexpr const char* kContents = R"sql(
ALTER TABLE run ADD COLUMN golden TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN inputs TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN reference_weights TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN candidate_weights TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN policy_digest TEXT NOT NULL DEFAULT '';
DROP VIEW nightly_run;
CREATE VIEW nightly_run AS
  SELECT run.id AS run_id, series.name AS series, run.time, run.state, run.passed, run.exit_code,
    run.reason, run.link, run.model, run.policy, run.suspect, run.failed, run.seconds,
    place.case_name AS first_divergence_case, place.tap AS first_divergence_tap,
    run.reference_id, run.candidate_id, run.golden, run.inputs, run.reference_weights,
    run.candidate_weights, run.policy_digest
  FROM run JOIN series ON series.id = run.series_id
    LEFT JOIN place ON place.id = run.first_divergence_id;
)sql";

constexpr std::array<const char*, kSchemaVersion> kSteps = {kFirstLayout, kContents};

void check_ours(const Database& database, std::int64_t application, std::int64_t version) {
  if (application != kApplicationId) {
    throw Error(ErrorKind::store, database.file() +
                                      " is an SQLite database, but no history of parity; name "
                                      "another file");
  }
  if (version > kSchemaVersion) {
    throw Error(ErrorKind::store, "the history " + database.file() + " has version " +
                                      std::to_string(version) + ", this parity reads up to " +
                                      std::to_string(kSchemaVersion) + "; use a newer parity");
  }
}

bool is_blank(const Database& database, std::int64_t application, std::int64_t version) {
  Statement statement = database.prepare("SELECT count(*) FROM sqlite_schema");
  return statement.step() && statement.integer(0) == 0 && application == 0 && version == 0;
}

}  // namespace

void bring_up_to_date(const Database& database) {
  const std::int64_t application = database.pragma("application_id");
  const std::int64_t version = database.pragma("user_version");
  if (!is_blank(database, application, version)) check_ours(database, application, version);
  if (version == kSchemaVersion) return;
  for (std::int64_t step = version; step < kSchemaVersion; ++step)
    database.execute(kSteps[static_cast<std::size_t>(step)]);
  database.execute(("PRAGMA application_id = " + std::to_string(kApplicationId) +
                    "; PRAGMA user_version = " + std::to_string(kSchemaVersion))
                       .c_str());
}

void check_readable(const Database& database) {
  const std::int64_t version = database.pragma("user_version");
  check_ours(database, database.pragma("application_id"), version);
  if (version < kSchemaVersion) {
    throw Error(ErrorKind::store, "the history " + database.file() + " has the older version " +
                                      std::to_string(version) +
                                      "; parity history add brings it up to date");
  }
}

}  // namespace parity::history
