"""30 nights of real runs: the injected fault shows on its night, at its layer, and nothing shows on the others.

Usage: nights_test.py PARITY NIGHTS.tar.xz HISTORY.sqlite
"""

import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import nights_history  # noqa: E402

PARITY = sys.argv[1]
ARCHIVE = sys.argv[2]
HISTORY = pathlib.Path(sys.argv[3])

FAULT = "2026-10-25"
FAULTY_LAYER = "model.layers.2.mlp.down_proj"
UPGRADE = "2026-10-14"
INFRASTRUCTURE = "2026-10-17"
MISSING = "2026-10-11T02:00:00Z"
SERIES = ("batches", "bfloat16", "float16", "float32")
NOW = "2026-11-01T03:00:00Z"


def parity(*arguments, expected=0):
    done = subprocess.run([PARITY, "history", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode not in (expected if isinstance(expected, tuple) else (expected,)):
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done.stdout


class NightsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="parity-nights-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.nights = nights_history.unpack(ARCHIVE, cls.folder)
        cls.database = cls.folder / "history.sqlite"
        cls.database.write_bytes(HISTORY.read_bytes())
        shown = parity("show", "--db", cls.database, "--last", 40, "--json", "-", "--now", NOW, expected=1)
        cls.series = {series["series"]: series for series in json.loads(shown)["series"]}

    @classmethod
    def add(cls, database, nights):
        nights_history.add(PARITY, database, nights, cls.folder)

    def test_there_are_30_judged_nights_in_every_series(self):
        self.assertEqual(tuple(self.series), SERIES)
        for name, series in self.series.items():
            states = [night["state"] for night in series["nights"]]
            self.assertEqual((states.count("judged"), states.count("infrastructure")), (30, 1), name)

    def test_the_fault_shows_on_its_night_at_its_layer_and_nothing_on_the_others(self):
        for name, series in self.series.items():
            regressed = [night["time"][:10] for night in series["nights"] if night["regressed"]]
            self.assertEqual(regressed, [FAULT], f"{name}: {[n['sentence'] for n in series['nights'] if n['regressed']]}")
            night, = (night for night in series["nights"] if night["time"].startswith(FAULT))
            # Two recordings are compared without a model, so nothing says what a layer introduces: there the first tap
            # that is off is the layer itself, since its inputs are right.
            self.assertEqual(night["begins_at"]["tap"], FAULTY_LAYER, f"{name}: {night['sentence']}")

    def test_the_fault_is_found_where_the_gate_passes_too(self):
        verdicts = {name: next(night["verdict"] for night in series["nights"] if night["time"].startswith(FAULT))
                    for name, series in self.series.items()}
        self.assertEqual(verdicts["float32"], "fail")
        self.assertEqual(verdicts["bfloat16"], "pass")

    def test_a_fault_that_comes_with_the_upgrade_is_seen_on_that_night(self):
        """The environment is new, so that no night in it says what is usual."""
        for series in SERIES:
            database = self.folder / f"upgrade-{series}.sqlite"
            self.add(database, [night for night in self.nights if night[1] == series and night[0] < UPGRADE])
            parity("show", "--db", database, "--now", "2026-10-13T03:00:00Z", "-q")
            parity("add", self.folder / f"nights/fault-on-upgrade/{series}.json", "--db", database, "--series", series,
                   "--at", f"{UPGRADE}T02:00:00Z", "-q")
            shown = parity("show", "--db", database, "--json", "-", "--now", f"{UPGRADE}T03:00:00Z", expected=1)
            night, = json.loads(shown)["series"][0]["nights"]
            self.assertEqual(night["nights_in_environment"], 0, series)
            self.assertIn("library.torch", [fact["key"] for fact in night["environment"]], series)
            self.assertEqual(night["begins_at"]["tap"], FAULTY_LAYER, f"{series}: {night['sentence']}")
            # The gate passes in bfloat16: there the layer is seen by its figures, whatever its verdict.
            if night["verdict"] == "pass":
                steps = {(drift["tap"], drift["metric"]) for drift in night["drifts"]}
                self.assertIn((FAULTY_LAYER, "introduced.nrmse"), steps, series)
                self.assertEqual({kind for kind in (drift["kind"] for drift in night["drifts"])}, {"new_environment"}, series)

    def test_the_other_libtorch_is_named_as_a_change_of_the_environment(self):
        for name, series in self.series.items():
            # That the weights are others on the night of the fault is said as well.
            changes = {night["time"][:10]: {fact["key"]: (fact["before"], fact["after"]) for fact in night["environment"]
                                            if not fact["sentence"]} for night in series["nights"]}
            with_torch = [day for day, facts in changes.items() if "library.torch" in facts]
            self.assertEqual(with_torch, [UPGRADE], name)
            before, after = changes[UPGRADE]["library.torch"]
            self.assertNotEqual(before, after)
            for day in ("2026-10-05", "2026-10-06", "2026-10-09", "2026-10-22", "2026-10-23"):
                self.assertIn("switch.threads", changes[day], f"{name} {day}")
            other_kernel = [] if name == "batches" else ["2026-10-28", "2026-10-29"]
            self.assertEqual([day for day, facts in changes.items() if "switch.sdpa" in facts], other_kernel, name)
            self.assertEqual([day for day, facts in changes.items() if facts], [
                "2026-10-05", "2026-10-06", "2026-10-09", "2026-10-10", UPGRADE, "2026-10-22", "2026-10-23", *other_kernel],
                name)

    def test_what_was_not_judged_is_a_state_of_its_own(self):
        for name, series in self.series.items():
            night, = (night for night in series["nights"] if night["state"] == "infrastructure")
            self.assertEqual((night["time"][:10], night["exit_code"], night["regressed"]), (INFRASTRUCTURE, 3, False), name)
            self.assertEqual(series["missing"], [MISSING], name)

    def test_each_morning_is_red_on_the_faults_night_alone_whatever_the_order_of_addition(self):
        """The history as it was on every morning; then the same nights in another order, which nothing shows."""
        nights = [night for night in self.nights if night[1] == "bfloat16"]
        growing, shuffled = self.folder / "growing.sqlite", self.folder / "shuffled.sqlite"
        for night in nights:
            self.add(growing, [night])
            parity("show", "--db", growing, "--now", night[0], "-q", expected=1 if night[0].startswith(FAULT) else 0)
        random.Random(5).shuffle(nights)
        self.add(shuffled, nights)
        for arguments, expected in ((["show", "--last", 40], 1), (["show", "--last", 40, "--json", "-"], 1),
                                    (["export", "--openmetrics", "-"], 0)):
            one, other = (parity(arguments[0], "--db", file, *arguments[1:], "--now", NOW, expected=expected)
                          for file in (growing, shuffled))
            self.assertEqual(one, other)
        pages = []
        for file in (growing, shuffled):
            out = self.folder / f"pages-{file.stem}"
            parity("dashboard", "--db", file, "--out", out, "--now", NOW)
            pages.append({path.name: path.read_bytes() for path in out.iterdir()})
        self.assertEqual(*pages)
        self.assertEqual(set(pages[0]), {"index.html", "series-bfloat16.html"})

    def test_the_same_reports_again_change_nothing(self):
        before = self.database.read_bytes()
        self.add(self.database, self.nights[:8])
        self.assertEqual(self.database.read_bytes(), before)

    def test_sqlite_finds_it_whole_also_after_pruning(self):
        database = self.folder / "pruned.sqlite"
        database.write_bytes(self.database.read_bytes())
        parity("prune", "--db", database, "--keep-days", 6, "--keep-monthly")
        for file in (self.database, database):
            connection = sqlite3.connect(file)
            self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(connection.execute("PRAGMA foreign_key_check").fetchall(), [])
            connection.close()
        self.assertLess(database.stat().st_size, self.database.stat().st_size / 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
