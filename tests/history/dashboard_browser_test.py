"""Opens the dashboard of the 30 nights in a real browser, from a file: what it says, and whether everything in it works.

Usage: dashboard_browser_test.py PARITY HISTORY.sqlite

The browser is Chromium or Chrome: PARITY_TEST_BROWSER, one in PATH, or the one that `python -m playwright install chromium`
brings. Exits 77 (skipped) where there is none. With PARITY_SCREENSHOTS=FOLDER the pages are kept as pictures.
"""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from playwright.sync_api import sync_playwright

PARITY, HISTORY = sys.argv[1], pathlib.Path(sys.argv[2])
NOW = "2026-11-01T03:00:00Z"
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 400, "height": 800}
LINKS_NOT_TO_FOLLOW = ["javascript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "data:text/html,x", "//evil.test/",
                       "\\\\evil.test", "/\\evil.test", "vbscript:x"]
HOSTILE = "</script><img src=x onerror=alert(1)>{{data}}&amp;'\""


def browser_path(playwright):
    """Ubuntu's chromium-browser is a stand-in for a snap, which does not run everywhere: it is not taken."""
    named = os.environ.get("PARITY_TEST_BROWSER")
    found = [named] if named else [shutil.which(name) for name in ("chromium", "google-chrome", "google-chrome-stable")]
    found = [path for path in found if path and "/snap" not in os.path.realpath(path)]
    return next((path for path in [*found, playwright.chromium.executable_path] if pathlib.Path(path).exists()), None)


class DashboardTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="parity-dashboard-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        database = cls.folder / "history.sqlite"
        database.write_bytes(HISTORY.read_bytes())
        cls.pages = cls.dashboard(database, "www")
        # The newest night of one series has another golden, and compares less.
        shrunk = cls.folder / "shrunk.sqlite"
        shrunk.write_bytes(HISTORY.read_bytes())
        connection = sqlite3.connect(shrunk)
        newest, = connection.execute("SELECT run_id FROM nightly_run WHERE series = 'bfloat16' ORDER BY time DESC").fetchone()
        connection.execute("DELETE FROM tap_result WHERE run_id = ? AND place_id IN (SELECT id FROM place WHERE tap LIKE ?)",
                           (newest, "model.layers.2.mlp%"))
        connection.execute("UPDATE run SET golden = ?", ("a" * 32,))
        connection.execute("UPDATE run SET golden = ? WHERE id = ?", ("b" * 32, newest))
        connection.commit()
        connection.close()
        cls.shrunk = cls.dashboard(shrunk, "shrunk")
        # Names come out of model files and from the command line; links were written by whoever added the night.
        connection = sqlite3.connect(database)
        connection.execute("UPDATE place SET tap = ? || id, case_name = ? || case_name", (HOSTILE, HOSTILE))
        connection.execute("UPDATE case_result SET case_name = ? || case_name", (HOSTILE,))
        connection.execute("UPDATE series SET name = ? || name", (HOSTILE,))
        connection.execute("UPDATE fact SET value = ? || value", (HOSTILE,))
        connection.execute("UPDATE run SET link = 'javascript:alert(1)', reason = ?", (HOSTILE,))
        nights = connection.execute("SELECT id FROM run WHERE state = 'judged' ORDER BY time DESC").fetchall()
        for (night,), link in zip(nights, LINKS_NOT_TO_FOLLOW * 20):
            connection.execute("UPDATE run SET link = ? WHERE id = ?", (link, night))
        connection.commit()
        connection.close()
        cls.hostile = cls.dashboard(database, "hostile")

    @classmethod
    def dashboard(cls, database, name):
        out = cls.folder / name
        subprocess.run([PARITY, "history", "dashboard", "--db", database, "--out", out, "--now", NOW, "-q"], check=True)
        return out

    def open(self, path, size=None, scheme="light"):
        context = BROWSER.new_context(viewport=size or WIDE, color_scheme=scheme, offline=True)
        self.addCleanup(context.close)
        page = context.new_page()
        page.faults = []
        page.requests = []
        page.on("console", lambda message: page.faults.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("dialog", lambda dialog: (page.faults.append("a dialog"), dialog.dismiss()))
        page.on("request", lambda request: page.requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector(".strip")
        return page

    def keep(self, page, name):
        folder = os.environ.get("PARITY_SCREENSHOTS")
        if folder:
            page.screenshot(path=str(pathlib.Path(folder) / f"{name}.png"), full_page=True)

    def test_no_page_complains_asks_for_anything_or_is_wider_than_the_window(self):
        for folder in (self.pages, self.hostile):
            paths = sorted(folder.iterdir())
            self.assertEqual(len(paths), 5)
            for path in paths:
                for scheme, size in (("light", WIDE), ("dark", NARROW)):
                    with self.subTest(path=path.name, scheme=scheme):
                        page = self.open(path, size, scheme)
                        self.assertEqual(page.faults, [])
                        self.assertEqual(page.requests, [path.as_uri()])
                        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
                        self.keep(page, f"{folder.name}-{path.stem[:30]}-{scheme}")

    def test_names_are_shown_as_they_are_and_links_are_not_run(self):
        for path in self.hostile.iterdir():
            page = self.open(path)
            self.assertEqual(page.locator("img").count(), 0)
            self.assertIn(HOSTILE, page.locator("body").inner_text())
            self.assertEqual(page.locator("a[href^='javascript']").count(), 0)
            self.assertEqual(page.faults, [])

    def test_links_that_a_browser_would_take_elsewhere_are_shown_and_not_followed(self):
        for path in self.hostile.glob("series-*.html"):
            page = self.open(path)
            nights = page.locator("#nights button.night")
            self.assertGreater(nights.count(), 2 * len(LINKS_NOT_TO_FOLLOW))
            for index in range(nights.count() - 2 * len(LINKS_NOT_TO_FOLLOW), nights.count()):
                page.locator("#nights button.night").nth(index).click()
                self.assertEqual(page.locator("#night a", has_text="the night's report").count(), 0)
                self.assertIn("report: ", page.locator("#night").inner_text())

    def test_another_golden_leads_and_what_is_no_longer_compared_is_named(self):
        page = self.open(self.shrunk / "series-bfloat16.html")
        words = page.locator("#night").inner_text()
        self.assertIn("taps are no longer compared, first at model.layers.2.mlp", words)
        self.assertIn("the golden changed: aaaaaaaaaaaa → bbbbbbbbbbbb", words)
        self.assertLess(words.index("the golden changed"), words.index("No longer compared"))
        page.locator("#night a.tap", has_text="prose: model.layers.2.mlp.down_proj").click()
        self.assertIn("model.layers.2.mlp.down_proj", page.locator("#layers figure h3").inner_text())
        self.assertEqual(page.faults, [])
        self.keep(page, "shrunk-bfloat16")

    def test_the_overview_leads_to_every_series(self):
        page = self.open(self.pages / "index.html")
        links = page.locator("section h2 a")
        self.assertEqual(links.all_inner_texts(), ["batches", "bfloat16", "float16", "float32"])
        links.nth(3).click()
        page.wait_for_selector("#layers")
        self.assertEqual(page.locator("h1").inner_text(), "float32")
        page.locator("a.brand").click()
        page.wait_for_selector("h2 a")

    def test_the_nights_are_marked_by_what_became_of_them(self):
        marks = {}
        for name in ("float32", "bfloat16"):
            page = self.open(self.pages / f"series-{name}.html")
            marks[name] = page.locator("#nights .strip .night").evaluate_all(
                "nodes => nodes.map((node) => [node.className, node.getAttribute('aria-label')])")
            self.assertEqual(len(marks[name]), 32)
            off = {label[:10]: kind.split()[1] for kind, label in marks[name] if kind.split()[1] != "passed"}
            self.assertEqual(off, {"2026-10-11": "missing", "2026-10-17": "unjudged",
                                   "2026-10-25": "failed" if name == "float32" else "regressed"})
            changed = [label[:10] for kind, label in marks[name] if "changed" in kind.split()]
            self.assertIn("2026-10-14", changed)
            self.assertNotIn("2026-10-15", changed)

    def test_the_faults_night_says_where_it_begins_and_leads_to_the_layer_and_the_report(self):
        page = self.open(self.pages / "series-bfloat16.html")
        page.locator("[data-night][aria-label^='2026-10-25']").click()
        details = page.locator("#night")
        self.assertIn("first at model.layers.2.mlp.down_proj in case", details.inner_text())
        self.assertEqual(details.get_by_role("link", name="the night's report").get_attribute("href"), "reports/bfloat16/25.json")
        details.locator("a.tap", has_text="model.layers.2.mlp.down_proj").first.click()
        self.assertIn("model.layers.2.mlp.down_proj", page.locator("#layers figure h3").inner_text())
        self.assertEqual(page.locator("#layers figure .ring").count(), 1)
        page.locator("[data-night][aria-label^='2026-10-14']").click()
        self.assertIn("library.torch 2.9.1 → 2.11.0", page.locator("#night").inner_text())
        self.keep(page, "night-of-the-upgrade")

    def test_charts_mark_environments_and_nights_without_a_judgement(self):
        page = self.open(self.pages / "series-float32.html")
        self.assertEqual(page.locator("#cases svg").count(), 2)
        chart = page.locator("#layers figure svg")
        changes = page.locator("#nights .night.changed").count()
        self.assertEqual(chart.locator("line.change").count(), changes)
        self.assertEqual(chart.locator(".idle").count(), 2)
        page.locator("#cases select").select_option("flips")
        self.assertIn("flips", page.locator("#cases figure h3").first.inner_text())

    def test_layers_can_be_found_and_sorted(self):
        page = self.open(self.pages / "series-float32.html")
        page.locator("#search").fill("layers.2 down_proj code")
        self.assertEqual(page.locator("#layer-table tbody tr").count(), 1)
        page.locator("#search").fill("")
        page.get_by_role("button", name="worse on").click()
        self.assertIn("2026-10-25", page.locator("#layer-table tbody tr").first.inner_text())
        row = page.locator("#layer-table tbody tr", has_text="model.layers.3.mlp.act_fn").first
        row.focus()
        page.keyboard.press("Enter")
        self.assertIn("model.layers.3.mlp.act_fn", page.locator("#layers figure h3").inner_text())
        page.locator("#layers select").first.select_option("introduced.nrmse")
        self.assertIn("introduced.nrmse", page.locator("#layers figure h3").inner_text())
        self.assertEqual(page.faults, [])

    def test_the_theme_can_be_chosen(self):
        page = self.open(self.pages / "index.html")
        background = "getComputedStyle(document.body).backgroundColor"
        before = page.evaluate(background)
        for _ in range(2):
            page.locator("#theme").click()
        self.assertNotEqual(page.evaluate(background), before)


if __name__ == "__main__":
    with sync_playwright() as player:
        chosen = browser_path(player)
        if chosen is None:
            print("SKIPPED: there is no browser, so the dashboard was not opened in one")
            sys.exit(77)
        BROWSER = player.chromium.launch(executable_path=chosen, args=["--no-sandbox"])
        done = unittest.main(argv=sys.argv[:1], verbosity=2, exit=False)
        BROWSER.close()
        sys.exit(not done.result.wasSuccessful())
