#!/usr/bin/env python3
"""How long `parity history` takes on a year of nights. See README.md beside this file.

Usage: measure.py PARITY [NIGHTS [TAPS]]
"""
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
FIRST_S, DAY_S = 1_790_820_000, 86_400
NOISY_METRICS = ("nrmse", "ulp.p99")


def multiply(database, nights, taps):
    """One night with one case becomes so many with so many taps each, with recorded noise."""
    connection = sqlite3.connect(database)
    columns = [row[1] for row in connection.execute("PRAGMA table_info(run)") if row[1] != "id"]
    values = dict(zip(columns, connection.execute(f"SELECT {', '.join(columns)} FROM run").fetchone()))
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("DELETE FROM run")
    connection.execute("DELETE FROM place")
    places = [connection.execute("INSERT INTO place(case_name, tap) VALUES ('prose', ?)", (f"layers.{tap}",)).lastrowid
              for tap in range(taps)]
    chance = random.Random(1)
    for night in range(nights):
        values.update(time=FIRST_S + night * DAY_S, digest=str(night), first_divergence_id=None)
        run = connection.execute(f"INSERT INTO run({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
                                 [values[column] for column in columns]).lastrowid
        connection.execute("INSERT INTO case_result VALUES (?, 0, 'prose', 1)", (run,))
        connection.executemany(
            "INSERT INTO tap_result VALUES (?, ?, ?, 'module', 'bfloat16', 'within', ?, 4, ?, 0.1, 0.5, NULL)",
            [(run, position, place, 0.003 * (1 + chance.random() / 10), 0.0005 * (1 + chance.random() / 10))
             for position, place in enumerate(places)])
        connection.executemany("INSERT INTO noise VALUES (?, ?, ?, 0.0001)",
                               [(run, place, metric) for place in places for metric in NOISY_METRICS])
    connection.commit()
    connection.close()


def measured(command):
    """Smallest processor time of three runs in seconds, which a busy machine does not change, and peak memory in MB."""
    times, peak = [], 0
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        times.append(usage.ru_utime + usage.ru_stime)
        assert os.waitstatus_to_exitcode(status) in (0, 1), command
        peak = max(peak, usage.ru_maxrss / 1024)
    return min(times), peak


def main():
    parity = sys.argv[1]
    nights, taps = (int(sys.argv[index]) if len(sys.argv) > index else usual for index, usual in ((2, 365), (3, 500)))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        report, database = work / "report.json", work / "history.sqlite"
        subprocess.run([parity, "compare", "-q", PROJECT / "golden/fixture-float32.h5", "--model", PROJECT / "fixtures/decoder/model.pt",
                        "--config", PROJECT / "fixtures/decoder/config.json", "--device", "cpu", "--json", report], check=True)
        subprocess.run([parity, "history", "add", "-q", report, "--db", database], check=True)
        multiply(database, nights, taps)
        print(f"{nights} nights of {taps} taps, {database.stat().st_size / 1e6:.0f} MB")
        for words in ("show", "show --last 30", f"show --last {nights}", "export --openmetrics -", f"dashboard --out {work}/www"):
            seconds, peak = measured([parity, "history", *words.split(), "--db", database])
            print(f"  {words.replace(str(work), ''):24} {seconds:6.2f} s {peak:6.0f} MB")


if __name__ == "__main__":
    main()
