"""Tools that are not ours on the nights' history: SQLite's program, a JSON Schema validator, Grafana's model of a dashboard.

Usage: grafana_test.py PARITY HISTORY.sqlite DOCS_FOLDER

Grafana itself is in no package of Debian, Ubuntu or PyPI: its model of a dashboard is, and SQLite's program.
"""

import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

PARITY, HISTORY, DOCS = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
GRAFANA = DOCS / "grafana"
SOURCE = {"type": "frser-sqlite-datasource", "uid": "parity"}
# 2026-10-01 to 2026-11-02, in milliseconds as Grafana puts them in.
VALUES = {"$__from": "1790812800000", "$__to": "1793577600000",
          "${series:sqlstring}": "'float32','bfloat16'", "${tap:sqlstring}": "'model.layers.2.mlp.down_proj'"}


def filled(sql):
    for name, value in VALUES.items():
        sql = sql.replace(name, value)
    return sql


class GrafanaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = HISTORY
        cls.dashboard = json.loads((GRAFANA / "dashboards/parity-nights.json").read_text(encoding="utf-8"))

    def rows(self, sql):
        """What SQLite's own program answers, as Grafana's plugin would get it."""
        self.assertNotRegex(sql, r"\$", "a variable was left")
        done = subprocess.run(["sqlite3", "-readonly", "-csv", "-header", self.database, sql], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), sql)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def test_sqlite_finds_the_history_whole(self):
        self.assertEqual(self.rows("PRAGMA integrity_check"), [{"integrity_check": "ok"}])
        self.assertEqual(self.rows("PRAGMA foreign_key_check"), [])

    def test_what_show_writes_follows_its_schema(self):
        import jsonschema
        schema = json.loads((DOCS / "history.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        done = subprocess.run([PARITY, "history", "show", "--db", self.database, "--last", "40", "--json", "-"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual([error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document)], [])
        nights = [night for series in document["series"] for night in series["nights"]]
        for key in ("environment", "verdicts", "drifts", "moves"):
            self.assertTrue(any(night[key] for night in nights), f"{key} is never filled, so it was not checked")

    def test_every_query_of_the_documentation_runs_and_finds_something(self):
        text = (DOCS / "history.md").read_text(encoding="utf-8")
        queries = re.findall(r"^```sql\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(queries), 4)
        for sql in queries:
            with self.subTest(sql=sql):
                self.assertTrue(self.rows(sql), "no rows")

    def test_every_panel_gets_what_it_shows(self):
        for panel in self.dashboard["panels"]:
            target, = panel["targets"]
            with self.subTest(panel=panel["title"]):
                self.assertEqual(target["rawQueryText"], target["queryText"])
                rows = self.rows(filled(target["queryText"]))
                self.assertTrue(rows, "no rows")
                if target["queryType"] == "time series":
                    self.assertEqual(list(rows[0]), ["time", "metric", "value"])
                    for row in rows:
                        self.assertTrue(1790812800 <= int(row["time"]) <= 1793577600, row)
                        float(row["value"])

    def test_the_fault_is_in_the_panels(self):
        fault = "1792893600"  # 2026-10-25T02:00:00Z
        panels = {panel["title"]: self.rows(filled(panel["targets"][0]["queryText"])) for panel in self.dashboard["panels"]}
        failed = {row["time"] for row in panels["Taps that failed or are suspect"]
                  if row["metric"] == "float32 failed" and float(row["value"]) > 0}
        self.assertEqual(failed, {fault})
        chosen = [row for row in panels["nrmse of the chosen layer"] if row["metric"].startswith("float32")]
        self.assertEqual(max(chosen, key=lambda row: float(row["value"]))["time"], fault)
        self.assertIn("infrastructure", {row["state"] for row in panels["Nights"]})

    def test_annotations_are_the_changes_of_the_environment(self):
        annotation, = self.dashboard["annotations"]["list"]
        rows = self.rows(filled(annotation["target"]["queryText"]))
        self.assertEqual(list(rows[0]), ["time", "title", "text", "tags"])
        upgrades = [row for row in rows if "library.torch:" in row["text"]]
        self.assertEqual([row["title"] for row in upgrades], ["bfloat16: environment changed", "float32: environment changed"])

    def test_variables_offer_what_there_is(self):
        offered = {variable["name"]: self.rows(variable["query"]) for variable in self.dashboard["templating"]["list"]}
        self.assertEqual([row["name"] for row in offered["series"]], ["batches", "bfloat16", "float16", "float32"])
        self.assertIn({"tap": "model.layers.2.mlp.down_proj"}, offered["tap"])

    def test_every_query_goes_to_the_provisioned_source(self):
        def sources(item):
            if isinstance(item, dict):
                for key, value in item.items():
                    if key == "datasource":
                        yield value
                    yield from sources(value)
            elif isinstance(item, list):
                for value in item:
                    yield from sources(value)
        self.assertEqual([source for source in sources(self.dashboard) if source != SOURCE], [])

    def test_the_provisioning_files_say_the_same(self):
        import yaml
        source = yaml.safe_load((GRAFANA / "provisioning/datasources/parity.yaml").read_text(encoding="utf-8"))
        one, = source["datasources"]
        self.assertEqual({"type": one["type"], "uid": one["uid"]}, SOURCE)
        self.assertEqual((source["apiVersion"], one["jsonData"]["path"]), (1, "/var/lib/parity/history.sqlite"))
        provider, = yaml.safe_load((GRAFANA / "provisioning/dashboards/parity.yaml").read_text(encoding="utf-8"))["providers"]
        self.assertEqual((provider["type"], provider["options"]["path"]), ("file", "/var/lib/grafana/dashboards/parity"))

    def test_grafanas_model_of_a_dashboard_knows_every_key(self):
        """Read into Grafana's own classes and written back, nothing is lost: no key is unknown or in a wrong place."""
        if sys.version_info < (3, 11):
            self.skipTest("grafana-foundation-sdk needs Python 3.11")
        from grafana_foundation_sdk.cog.encoder import JSONEncoder
        from grafana_foundation_sdk.models.dashboard import Dashboard
        again = json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(self.dashboard)))

        def lost(ours, theirs, path):
            if isinstance(ours, dict) and isinstance(theirs, dict):
                for key, value in ours.items():
                    yield from lost(value, theirs.get(key, "<lost>"), f"{path}.{key}")
            elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
                for number, (one, other) in enumerate(zip(ours, theirs)):
                    yield from lost(one, other, f"{path}[{number}]")
            elif ours != theirs:
                yield f"{path}: {ours!r} became {theirs!r}"
        # The query of an annotation is the plugin's own: the model has the fields of Grafana's built-in annotations there.
        found = [problem for problem in lost(self.dashboard, again, "dashboard") if ".target." not in problem]
        self.assertEqual(found, [])
        broken = json.loads(json.dumps(self.dashboard))
        broken["panels"][0]["gridpos"] = broken["panels"][0].pop("gridPos")
        again = json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(broken)))
        self.assertTrue(list(lost(broken, again, "dashboard")), "a misspelt key went unseen")


if __name__ == "__main__":
    if shutil.which("sqlite3") is None:
        print("SKIPPED: sqlite3 is not installed, so no query was run")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
