"""Holds bench/check_ratios.py against made-up reports of compare_bench: what is fast enough passes, what is not or is not there fails."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
FLOORS = {"ratios": [
    {"name": "kernel / read", "benchmark": "float32/noise", "over": "plain_read", "measured": 0.5, "floor": 0.2},
    {"name": "two threads", "benchmark": "float32/noise/2_threads", "over": "float32/noise", "threads": 2, "measured": 0.95,
     "floor": 0.6},
]}


def report(rates, processors=2, slowed=1.0):
    """What compare_bench writes: bytes_per_second is by wall time, which others on the machine slow down."""
    rows = [{"name": f"{name}/real_time", "run_type": "iteration", "real_time": 10.0 * slowed, "cpu_time": 10.0,
             "bytes_per_second": rate / slowed} for name, rate in rates]
    rows += [{"name": "plain_read/real_time_mean", "run_type": "aggregate", "real_time": 1.0, "cpu_time": 1.0, "bytes_per_second": 1e30}]
    return {"context": {"num_cpus": processors}, "benchmarks": rows}


def rates(kernel=10e9, two_threads=19e9, read=20e9):
    return [("plain_read", read), ("float32/noise", kernel), ("float32/noise/2_threads", two_threads)]


class CheckRatios(unittest.TestCase):
    def check(self, *reports, floors=FLOORS):
        """Exit code and output of one call, a report a try."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, made in enumerate((floors, *reports)):
                paths.append(pathlib.Path(folder, f"{number}.json"))
                paths[-1].write_text(json.dumps(made), encoding="utf-8")
            run = subprocess.run([sys.executable, "-B", BENCH / "check_ratios.py", "--floors", paths[0], "--report", *paths[1:]],
                                 capture_output=True, text=True)
            return run.returncode, run.stdout + run.stderr

    def test_ratios_above_their_floors_pass(self):
        code, output = self.check(report(rates()))
        self.assertEqual(code, 0, output)
        self.assertIn("ok  0.50  floor 0.20, measured 0.50  kernel / read", output)
        self.assertIn("ok  0.95  floor 0.60, measured 0.95  two threads", output)
        self.assertNotIn("LOW", output)

    def test_a_kernel_below_its_floor_fails_by_name(self):
        code, output = self.check(report(rates(kernel=3e9, two_threads=5.7e9)))
        self.assertEqual(code, 1, output)
        self.assertIn("LOW 0.15  floor 0.20, measured 0.50  kernel / read", output)
        self.assertIn("too slow in 1 runs: kernel / read", output)

    def test_two_threads_that_share_nothing_fail(self):
        code, output = self.check(report(rates(two_threads=10e9)))
        self.assertEqual(code, 1, output)
        self.assertIn("LOW 0.50  floor 0.60, measured 0.95  two threads", output)

    def test_a_busy_machine_does_not_fail_it(self):
        code, output = self.check(report(rates(), slowed=7.0))
        self.assertEqual(code, 0, output)

    def test_the_best_of_three_runs_counts(self):
        slow = report(rates(kernel=3e9, two_threads=5.7e9))
        self.assertEqual(self.check(slow, slow, report(rates()))[0], 0)
        code, output = self.check(slow, slow, slow)
        self.assertEqual(code, 1, output)
        self.assertIn("too slow in 3 runs", output)

    def test_the_fastest_repetition_counts(self):
        code, output = self.check(report(rates(kernel=3e9) + rates()))
        self.assertEqual(code, 0, output)

    def test_a_benchmark_that_is_not_there_fails_by_name(self):
        for absent in ("plain_read", "float32/noise", "float32/noise/2_threads"):
            code, output = self.check(report([rate for rate in rates() if rate[0] != absent]))
            self.assertEqual(code, 2, output)
            self.assertIn(f"compare_bench has no {absent}", output)

    def test_no_floors_fail(self):
        self.assertEqual(self.check(report(rates()), floors={"ratios": []})[0], 1)

    def test_two_threads_are_skipped_on_one_processor_and_it_is_said(self):
        code, output = self.check(report(rates(two_threads=10e9), processors=1))
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"SKIPPED +two threads: needs 2 processors")

    def test_committed_floors_lie_between_nothing_and_what_was_measured(self):
        rows = json.loads((BENCH / "ratios.json").read_text(encoding="utf-8"))["ratios"]
        self.assertEqual(len({row["name"] for row in rows}), len(rows))
        for row in rows:
            # One thread's work on two is a share of 0.5, so a floor has to lie above.
            least = 1 / row["threads"] if "threads" in row else 0
            self.assertLess(least, row["floor"], row["name"])
            self.assertLess(row["floor"], row["measured"], row["name"])


if __name__ == "__main__":
    unittest.main()
