// Writing one night: everything of it or nothing.
#include <span>
#include <string_view>

#include "history/database.h"
#include "history/schema.h"
#include "history/store.h"
#include "tensor/digest.h"

namespace parity::history {
namespace {

std::int64_t id_of_series(const Database& database, const std::string& name) {
  database.prepare("INSERT INTO series(name) VALUES (?) ON CONFLICT DO NOTHING")
      .bind(1, name)
      .run();
  Statement found = database.prepare("SELECT id FROM series WHERE name = ?");
  found.bind(1, name);
  return found.step() ? found.integer(0) : 0;
}

bool has_digest(const Database& database, std::int64_t series, const std::string& digest) {
  Statement found = database.prepare("SELECT 1 FROM run WHERE series_id = ? AND digest = ?");
  return found.bind(1, series).bind(2, digest).step();
}

/// The facts are kept once, however many nights had them.
std::int64_t id_of_environment(const Database& database, const run::Provenance& provenance) {
  const auto facts = environment_facts(provenance);
  std::string text;
  for (const auto& [key, value] : facts)
    text += std::to_string(key.size()) + ":" + key + std::to_string(value.size()) + ":" + value;
  const std::string digest = tensor::to_hex(tensor::digest_of(std::as_bytes(std::span(text))));
  Statement found = database.prepare("SELECT id FROM environment WHERE digest = ?");
  if (found.bind(1, digest).step()) return found.integer(0);
  database.prepare("INSERT INTO environment(digest) VALUES (?)").bind(1, digest).run();
  const std::int64_t id = database.last_id();
  Statement insert = database.prepare("INSERT INTO fact VALUES (?, ?, ?)");
  for (const auto& [key, value] : facts) insert.bind(1, id).bind(2, key).bind(3, value).run();
  return id;
}

class Places {
 public:
  explicit Places(const Database& database)
      : database_(database),
        find_(database.prepare("SELECT id FROM place WHERE case_name = ? AND tap = ?")),
        insert_(database.prepare("INSERT INTO place(case_name, tap) VALUES (?, ?)")) {}

  std::int64_t id_of(const Place& place) {
    find_.reset();
    if (find_.bind(1, place.case_name).bind(2, place.tap).step()) return find_.integer(0);
    insert_.bind(1, place.case_name).bind(2, place.tap).run();
    return database_.last_id();
  }

 private:
  const Database& database_;
  Statement find_;
  Statement insert_;
};

std::string insert_results_sql(Of of) {
  std::string columns;
  std::string values;
  for (const MetricFacts& metric : all_metrics()) {
    if (metric.of != of) continue;
    columns += ", " + std::string(metric.column);
    values += ", ?";
  }
  const std::string table = of == Of::tap ? "tap_result" : "logits_result";
  return "INSERT INTO " + table + "(run_id, position, place_id, kind, dtype, verdict" + columns +
         ") VALUES (?, ?, ?, ?, ?, ?" + values + ")";
}

void add_results(const Database& database, Places& places, std::int64_t run, Of of,
                 const std::vector<PlaceResult>& results) {
  Statement insert = database.prepare(insert_results_sql(of));
  Statement noise = database.prepare("INSERT INTO noise VALUES (?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const PlaceResult& result : results) {
    const std::int64_t place = places.id_of(result.place);
    insert.bind(1, run).bind(2, position++).bind(3, place);
    insert.bind(4, result.kind).bind(5, result.dtype).bind(6, run::name(result.verdict));
    int index = 7;
    for (const MetricFacts& metric : all_metrics()) {
      if (metric.of != of) continue;
      insert.bind(index++, result.figures.get(metric.metric));
      const double value = result.noise.get(metric.metric);
      if (value == value)
        noise.bind(1, run).bind(2, place).bind(3, metric.name).bind(4, value).run();
    }
    insert.run();
  }
}

std::int64_t insert_run(const Database& database, Places& places, std::int64_t series,
                        const Run& run) {
  Statement insert = database.prepare(
      "INSERT INTO run(series_id, time, state, digest, exit_code, passed, reason, link, model, "
      "policy, reference_id, candidate_id, first_divergence_id, suspect, failed, seconds, golden, "
      "inputs, reference_weights, candidate_weights, policy_digest) VALUES "
      "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, series).bind(2, run.time_s).bind(3, text(run.state)).bind(4, run.digest);
  if (run.exit_code) insert.bind(5, std::int64_t{*run.exit_code});
  insert.bind(7, run.reason).bind(8, run.link).bind(9, run.model).bind(10, run.policy);
  if (run.state == State::judged) {
    insert.bind(6, std::int64_t{run.gate == Gate::passed ? 1 : 0});
    insert.bind(11, id_of_environment(database, run.reference));
    insert.bind(12, id_of_environment(database, run.candidate));
  }
  if (run.first_divergence) insert.bind(13, places.id_of(*run.first_divergence));
  insert.bind(14, run.suspect).bind(15, run.failed).bind(16, run.seconds);
  const Contents& contents = run.contents;
  insert.bind(17, contents.golden).bind(18, contents.inputs).bind(19, contents.reference_weights);
  insert.bind(20, contents.candidate_weights).bind(21, contents.policy);
  insert.run();
  return database.last_id();
}

void add_cases_and_blame(const Database& database, Places& places, std::int64_t id,
                         const Run& run) {
  Statement one_case = database.prepare("INSERT INTO case_result VALUES (?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const CaseResult& item : run.cases) {
    one_case.bind(1, id).bind(2, position++).bind(3, item.name);
    one_case.bind(4, std::int64_t{item.gate == Gate::passed ? 1 : 0}).run();
  }
  Statement blame = database.prepare("INSERT INTO blame VALUES (?, ?, ?, ?, ?)");
  position = 0;
  for (const Blamed& item : run.blame) {
    blame.bind(1, id).bind(2, position++).bind(3, places.id_of(item.place));
    blame.bind(4, item.introduced_nrmse).bind(5, item.share).run();
  }
}

}  // namespace

Addition add(const std::filesystem::path& file, const Run& run) {
  const Database database(file, Access::make);
  Transaction transaction(database, Access::make);
  bring_up_to_date(database);
  const std::int64_t series = id_of_series(database, run.series);
  if (has_digest(database, series, run.digest)) return Addition::already_there;
  Places places(database);
  const std::int64_t id = insert_run(database, places, series, run);
  add_cases_and_blame(database, places, id, run);
  add_results(database, places, id, Of::tap, run.taps);
  add_results(database, places, id, Of::logits, run.logits);
  transaction.commit();
  return Addition::added;
}

}  // namespace parity::history
