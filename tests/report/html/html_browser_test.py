"""Opens the HTML report in a real browser, from a file: what it says first, and whether everything in it works.

PARITY_BINARY and PARITY_REPORT_SAMPLES name the programs. The browser is Chromium or Chrome: PARITY_TEST_BROWSER, one in
PATH, or the one that `python -m playwright install chromium` brings. Exits 77 (skipped) where there is none.
With PARITY_SCREENSHOTS=FOLDER the pages are kept as pictures, to be looked at.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "mutations")]

import deep_model  # noqa: E402
from parity_program import FAILS, PASSES, Workshop  # noqa: E402

BLOCKS = 100  # five taps each
GUILTY = 60
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 400, "height": 800}


def browser_path(playwright):
    """Ubuntu's chromium-browser is a stand-in for a snap, which does not run everywhere: it is not taken."""
    named = os.environ.get("PARITY_TEST_BROWSER")
    found = [named] if named else [shutil.which(name) for name in ("chromium", "google-chrome", "google-chrome-stable")]
    found = [path for path in found if path and "/snap" not in os.path.realpath(path)]
    return next((path for path in [*found, playwright.chromium.executable_path] if pathlib.Path(path).exists()), None)


class View:
    """One page in one window: what was said on its console, and what it asked for."""

    def __init__(self, browser, path, place="", size=None, scheme="light", script=True, bypass=False):
        self.context = browser.new_context(viewport=size or WIDE, color_scheme=scheme, java_script_enabled=script,
                                           offline=True, bypass_csp=bypass)
        self.context.set_default_timeout(120_000)
        self.page = self.context.new_page()
        self.faults = []
        self.requests = []
        self.page.on("console", lambda message: self.faults.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.faults.append("a dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.url = path.as_uri()
        self.page.goto(self.url + place)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def rows(self):
        return self.page.locator("#taps tbody tr .tap").all_inner_texts()

    def expect_chosen(self, layer):
        """A link is followed when the browser comes to it, which on a busy machine is later."""
        expect(self.page.locator("#details h3 .tap")).to_have_text(layer, timeout=60_000)


class HtmlBrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)
        folder = cls.workshop.folder / "samples"
        folder.mkdir()
        subprocess.run([os.environ["PARITY_REPORT_SAMPLES"], str(folder)], check=True)
        cls.pages = {path.stem: path for path in folder.glob("*.html")}
        good = cls.workshop.script(deep_model.DeepModel(BLOCKS))
        bad = cls.workshop.script(deep_model.with_fault(deep_model.DeepModel(BLOCKS), GUILTY))
        golden = cls.workshop.record(good, {"chat": deep_model.tokens(24, 1), "code": deep_model.tokens(16, 2)})
        for stem, model, flags, code in (("fault", bad, ("--attribute",), FAILS), ("plain", bad, (), FAILS),
                                         ("passing", good, (), PASSES)):
            cls.pages[stem] = cls.workshop.file("html")
            outcome = cls.workshop.compare(golden, model, "--html", cls.pages[stem], *flags)
            assert outcome.exit_code == code, outcome.text()

    def view(self, stem, *place, **settings):
        return View(BROWSER, self.pages[stem], *place, **settings)

    def keep(self, view, name):
        folder = os.environ.get("PARITY_SCREENSHOTS")
        if folder:
            view.page.screenshot(path=str(pathlib.Path(folder) / f"{name}.png"), full_page=True)

    def test_no_page_complains_asks_for_anything_or_is_wider_than_the_window(self):
        for stem in sorted(self.pages):
            for scheme, size in (("light", WIDE), ("dark", NARROW)):
                name = f"{stem}-{scheme}-{size['width']}"
                with self.subTest(name), self.view(stem, size=size, scheme=scheme) as view:
                    view.page.wait_for_function("document.documentElement.classList.contains('scripted')")
                    self.assertEqual(view.faults, [])
                    self.assertEqual(view.requests, [view.url])
                    self.assertLessEqual(view.page.evaluate("document.documentElement.scrollWidth"), size["width"])
                    self.keep(view, name)

    def test_the_guilty_layer_is_named_first(self):
        for stem, words in (("fault", "it makes the difference itself"), ("plain", "the first outside its bounds")):
            with self.subTest(stem), self.view(stem) as view:
                headline = view.page.locator("h1").inner_text()
                self.assertIn(f"Look at blocks.{GUILTY}.down (in both cases) first", headline)
                self.assertIn(words, headline)
                view.expect_chosen(f"blocks.{GUILTY}.down")
                findings = view.page.locator(".findings > li")
                self.assertIn("last axis: 3 of 32", findings.first.inner_text())
                self.assertIn(f"It is blocks.{GUILTY}.down (in both cases)", findings.first.inner_text())
                tops = {findings.nth(place).bounding_box()["y"] for place in range(findings.count())}
                self.assertEqual(len(tops), 1)

    def test_five_hundred_taps_are_small_and_quick(self):
        size_bytes = self.pages["fault"].stat().st_size
        self.assertLess(size_bytes, 2e6)
        with self.view("fault") as view:
            self.assertEqual(view.page.locator("#shown").inner_text(), f"{5 * BLOCKS + 4} layers")
            ready_ms = view.page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
            print(f"1008 taps in 2 cases: {size_bytes} bytes, ready after {ready_ms:.0f} ms")

    def test_the_table_sorts(self):
        with self.view("fault") as view:
            self.assertEqual(view.rows()[0], "embed")
            nrmse = view.page.get_by_role("button", name=re.compile("^nrmse"))
            nrmse.click()
            self.assertEqual(view.rows()[0], f"blocks.{GUILTY}.down")
            self.assertEqual(view.page.locator("#taps th[aria-sort=descending]").inner_text(), "nrmse ▼")
            nrmse.click()
            self.assertEqual(view.rows()[0], "embed")
            view.page.get_by_role("button", name=re.compile("^introduced")).click()
            self.assertEqual(view.rows()[0], f"blocks.{GUILTY}.down")

    def test_the_table_searches_and_filters(self):
        with self.view("fault") as view:
            view.page.get_by_role("searchbox").fill(f"blocks.{GUILTY}. up")
            self.assertEqual(view.rows(), [f"blocks.{GUILTY}.up"])
            self.assertEqual(view.page.locator("#shown").inner_text(), f"1 of {5 * BLOCKS + 4} layers")
            view.page.get_by_role("searchbox").fill("")
            shown = view.page.locator("#taps tbody .badge")
            for verdict in ("identical", "diverged", "identical"):
                view.page.get_by_role("button", name=re.compile(f"^{verdict}")).click()
                self.assertEqual(set(shown.all_inner_texts()), {verdict})
            view.page.get_by_role("button", name=re.compile("^identical")).click()
            self.assertEqual(view.page.locator("#shown").inner_text(), f"{5 * BLOCKS + 4} layers")

    def test_a_click_on_a_layer_shows_its_histograms(self):
        with self.view("fault") as view:
            self.assertNotIn("blocks.61.up", view.page.locator("#details h3 .tap").inner_text())
            view.page.get_by_role("searchbox").fill("blocks.61.up")
            view.page.locator("#taps tbody tr").first.click()
            view.expect_chosen("blocks.61.up")
            figures = view.page.locator("#details figure")
            self.assertEqual(figures.count(), 2)
            for place, title in enumerate(("Distance in ulp", "Relative error")):
                figure = figures.nth(place)
                self.assertIn(title, figure.inner_text())
                self.assertGreater(figure.locator("rect.bar-free").count(), 1)
                figure.locator("summary").click()
                counts = [int(cell) for cell in figure.locator("td:nth-child(2)").all_inner_texts()]
                self.assertEqual(sum(counts), 2 * 24 * 64)
            details = view.page.locator("#details").inner_text()
            for words in ("Bounds that judged it", "beyond fail", "Worst elements", "What it introduces itself",
                          "Classes of pairs", "default/float32"):
                self.assertIn(words, details)

    def test_the_chart_marks_what_fails_and_chooses_by_click(self):
        with self.view("fault") as view:
            chart = view.page.locator("#chart svg")
            self.assertEqual(chart.locator("path.mark.bad").get_attribute("d").count("M"), 2 * BLOCKS)
            for name in ("free", "introduced", "roundoff", "bound"):
                self.assertTrue(chart.locator(f"path.{name}").first.get_attribute("d"), name)
            self.assertIn("makes the difference", chart.text_content())
            box = chart.bounding_box()
            chart.click(position={"x": box["width"] - 3, "y": 100})
            view.expect_chosen("<output>")

    def test_the_keyboard_is_enough(self):
        with self.view("fault") as view:
            view.page.locator("#chart").focus()
            view.page.keyboard.press("ArrowRight")
            view.expect_chosen(f"blocks.{GUILTY}")
            view.page.keyboard.press("Home")
            view.expect_chosen("embed")
            self.assertIn("embed (1 of", view.page.locator("#chart-tip").inner_text())
            view.page.locator("#taps tbody .tap").first.focus()
            view.page.keyboard.press("ArrowDown")
            view.page.keyboard.press("Enter")
            view.expect_chosen("blocks.0.norm")
            self.assertTrue(view.page.url.endswith("#chat/blocks.0.norm"))

    def test_links_lead_to_a_case_and_a_layer(self):
        with self.view("fault", "#code/blocks.5.up") as view:
            view.expect_chosen("blocks.5.up")
            self.assertEqual(view.page.locator("#case option:checked").inner_text(), "code")
            self.assertEqual(view.page.locator("#taps tr[aria-current=true] .tap").inner_text(), "blocks.5.up")
        with self.view("fault", "#code/") as view:
            self.assertEqual(view.page.locator("#case option:checked").inner_text(), "code")
            view.page.locator("h1 a").click()
            view.expect_chosen(f"blocks.{GUILTY}.down")
            self.assertEqual(view.page.locator("#case option:checked").inner_text(), "chat")
            view.page.locator("#case").select_option(label="code")
            view.expect_chosen(f"blocks.{GUILTY}.down")
            self.assertTrue(view.page.url.endswith(f"#code/blocks.{GUILTY}.down"))
            view.page.locator("#taps .tap").first.click()
            view.page.locator("#case").select_option(label="chat")
            view.expect_chosen("embed")
        with self.view("fault", "#nowhere/at%all") as view:
            view.expect_chosen(f"blocks.{GUILTY}.down")
            self.assertEqual(view.faults, [])

    def test_a_case_without_the_chosen_layer_shows_its_own_worst(self):
        with self.view("failing", "#same/blocks.1") as view:
            view.page.locator("#case").select_option(label="prompts")
            view.expect_chosen("blocks.1.attn/aten.scaled_dot_product_attention")

    def test_nothing_but_the_table_scrolls_by_itself_and_no_row_is_half_hidden(self):
        with self.view("fault") as view:
            details = view.page.locator("#details")
            self.assertEqual(details.evaluate("e => e.scrollHeight - e.clientHeight"), 0)
            head, row = view.page.evaluate("""() => {
              const head = document.querySelector('#taps thead th').getBoundingClientRect().bottom;
              const rows = [...document.querySelectorAll('#taps tbody tr')].map((row) => row.getBoundingClientRect());
              return [head, rows.find((row) => row.bottom > head + 1).top];
            }""")
            self.assertAlmostEqual(head, row, delta=1.5)
            view.page.evaluate("scrollTo(0, document.body.scrollHeight)")
            view.page.locator("h1 a").evaluate("link => link.click()")
            view.page.wait_for_function("document.querySelector('#details').getBoundingClientRect().top >= 0")

    def test_names_of_layers_fit_their_lines_and_the_table_its_place(self):
        for stem in ("fault", "plain"):
            with self.subTest(stem), self.view(stem) as view:
                place = view.page.locator("#taps").evaluate("e => [e.scrollWidth, e.parentElement.clientWidth]")
                self.assertLessEqual(place[0], place[1])
                heights = view.page.evaluate("""() => [...document.querySelectorAll('#taps tbody tr')]
                  .map((row) => Math.round(row.getBoundingClientRect().height))""")
                self.assertEqual(len(set(heights[1:-1])), 1, heights)

    def test_logits_are_read_without_scrolling_sideways_where_the_window_is_narrow(self):
        for stem, script in (("fault", True), ("fault", False), ("judged", True)):
            with self.subTest(stem), self.view(stem, size=NARROW, script=script) as view:
                place = view.page.locator("#section-logits .scroll").evaluate("e => [e.scrollWidth, e.clientWidth]")
                self.assertLessEqual(place[0], place[1])
                figure = view.page.locator("#section-logits td.number").first
                self.assertEqual(figure.evaluate("e => getComputedStyle(e, '::before').content"), '"positions"')

    def test_no_line_breaks_inside_of_a_flag(self):
        for size in (NARROW, WIDE):
            with self.view("fault", size=size) as view:
                flags = view.page.locator(".flag")
                self.assertGreater(flags.count(), 1)
                self.assertEqual(set(flags.evaluate_all("all => all.map((e) => e.getClientRects().length)")), {1})
                self.assertEqual(set(flags.all_inner_texts()), {"--weights"})

    def test_colours_and_lines_are_explained_where_they_stand(self):
        with self.view("fault") as view:
            figure = view.page.locator("#details figure").first
            self.assertIn("introduced by the layer itself", figure.locator(".legend").inner_text())
            box = figure.locator(":scope > svg").evaluate("e => e.getBoundingClientRect().right")
            ticks = figure.locator(":scope > svg text").evaluate_all("all => all.map((e) => e.getBoundingClientRect().right)")
            self.assertLessEqual(max(ticks), box)
            self.assertIn("warn bound", view.page.locator("#legend").inner_text())
            self.assertTrue(view.page.locator("#chart path.warn-bound").get_attribute("d"))
            self.assertIn("By distance in ulp", view.page.locator("#details").inner_text())
            self.assertIn("Unit in the last place", view.page.locator("#details abbr", has_text="ulp p99").first.get_attribute("title"))

    def test_dark_and_light_follow_the_system_and_the_button(self):
        colour = "getComputedStyle(document.body).backgroundColor"
        seen = {}
        for scheme in ("light", "dark"):
            with self.view("failing", scheme=scheme) as view:
                seen[scheme] = view.page.evaluate(colour)
                button = view.page.get_by_role("button", name=re.compile("^Theme"))
                button.click()
                self.assertEqual(view.page.evaluate("document.documentElement.dataset.theme"), "light")
                light = view.page.evaluate(colour)
                button.click()
                dark = view.page.evaluate(colour)
                self.assertNotEqual(light, dark)
                button.click()
                self.assertEqual(view.page.evaluate(colour), seen[scheme])
        self.assertNotEqual(seen["light"], seen["dark"])

    def test_hostile_names_stay_names(self):
        with self.view("hostile") as view:
            names = view.rows()
            self.assertEqual(len(names), 12)
            self.assertIn("]]><script>alert('1')</script>&amp;\"", names)
            for place in range(len(names)):
                link = view.page.locator("#taps tbody .tap").nth(place)
                name = link.text_content()
                shown = "name => document.querySelector('#details h3 .tap').textContent === name"
                link.click()
                view.page.wait_for_function(shown, arg=name)
                view.page.reload()
                view.page.wait_for_function(shown, arg=name)
            self.assertEqual(view.faults, [])
            self.assertEqual(set(view.requests), {url for url in view.requests if url.split("#")[0] == view.url})

    def test_the_browser_stops_what_is_not_the_pages_own(self):
        text = self.pages["failing"].read_text(encoding="utf-8")
        smuggled = ("<script>document.title = 'taken'</script>", "<p onclick=\"document.title = 'taken'\">x</p>",
                    "<img src='other.png'>", "<style>body { display: none }</style>", "<iframe src='other.html'></iframe>")
        for place, element in enumerate(smuggled):
            path = self.workshop.folder / f"smuggled-{place}.html"
            path.write_text(text.replace("<main>", f"<main>{element}"), encoding="utf-8")
            self.pages["smuggled"] = path
            with self.subTest(element), self.view("smuggled") as view:
                if "onclick" in element:
                    view.page.get_by_text("x", exact=True).click()
                self.assertTrue(any("Content Security Policy" in fault for fault in view.faults), view.faults)
                self.assertIn("parity: FAIL", view.page.title())
                self.assertTrue(view.page.locator("h1").is_visible())
        del self.pages["smuggled"]

    def test_without_javascript_the_cause_is_still_there(self):
        with self.view("fault", script=False) as view:
            text = view.page.locator("body").inner_text()
            for words in ("FAIL", f"Look at blocks.{GUILTY}.down", "The 10 worst taps", "Would a user of the model notice?",
                          "Where the error is made"):
                self.assertIn(words, text)
            self.assertFalse(view.page.locator("#chart").is_visible())
            self.assertEqual(view.page.locator("#section-worst tbody tr").count(), 10)
        with self.view("failing", script=False) as view:
            self.assertTrue(view.page.locator("#section-environment").get_by_text("library.torch").is_visible())

    def test_axe_finds_no_barrier(self):
        for stem, scheme in (("failing", "light"), ("judged", "dark"), ("attributed", "dark"), ("empty", "light")):
            # Past the page's policy, which would not let another script in.
            with self.subTest(f"{stem} {scheme}"), self.view(stem, scheme=scheme, bypass=True) as view:
                found = Axe().run(view.page).response["violations"]
                self.assertEqual([(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found], [])

    def test_it_prints(self):
        with self.view("fault") as view:
            self.assertGreater(len(view.page.pdf()), 20000)

    def test_a_passing_report_says_so(self):
        with self.view("passing") as view:
            self.assertIn("PASS", view.page.locator("h1").inner_text())
            self.assertIn("same bits everywhere", view.page.locator("h1").inner_text())
        with self.view("empty") as view:
            self.assertIn("Nothing was compared", view.page.locator("h1").inner_text())
            self.assertFalse(view.page.locator("#section-taps").is_visible())


if __name__ == "__main__":
    with sync_playwright() as PLAYWRIGHT:
        EXECUTABLE = browser_path(PLAYWRIGHT)
        if EXECUTABLE is None:
            print("SKIPPED: the HTML report in a browser, for there is none; install chromium or Google Chrome, run "
                  "`python -m playwright install chromium`, or name one in PARITY_TEST_BROWSER")
            sys.exit(77)
        # A sandbox needs rights that containers and root do not have; the pages are the project's own.
        BROWSER = PLAYWRIGHT.chromium.launch(executable_path=EXECUTABLE, args=["--no-sandbox"])
        print(f"{EXECUTABLE}, version {BROWSER.version}")
        result = unittest.main(exit=False).result
        BROWSER.close()
    sys.exit(not result.wasSuccessful())
