"""How large the HTML report is and how long a browser takes with it, for models of many layers.

Usage: measure.py PARITY [TAPS...]     with the Python of the tests; Chromium in PATH or named by PARITY_TEST_BROWSER
"""

import os
import pathlib
import shutil
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
os.environ["PARITY_BINARY"] = sys.argv[1]
for folder in ("mutations", "report"):
    sys.path.insert(0, str(HERE.parents[1] / "tests" / folder))

import deep_model  # noqa: E402
from parity_program import Workshop  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

RUNS = 5
FRAME = "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"


def page_of(workshop, taps):
    blocks = taps // 5
    good = workshop.script(deep_model.DeepModel(blocks))
    bad = workshop.script(deep_model.with_fault(deep_model.DeepModel(blocks), blocks // 2))
    golden = workshop.record(good, {"chat": deep_model.tokens(16, 1)})
    page = workshop.file("html")
    workshop.compare(golden, bad, "--attribute", "--html", page)
    return page


def after(page, action):
    """Milliseconds from an action to the frame that shows it."""
    start = page.evaluate("performance.now()")
    action()
    return page.evaluate(FRAME) - start


def measured(browser, path):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(path.as_uri())
    page.evaluate(FRAME)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    sort = after(page, lambda: page.evaluate("document.querySelectorAll('#taps th button')[3].click()"))
    search = after(page, lambda: page.evaluate(
        "(e => { e.value = 'up'; e.dispatchEvent(new Event('input')); })(document.getElementById('search'))"))
    choose = after(page, lambda: page.evaluate("document.querySelector('#taps tbody tr').click()"))
    page.close()
    return paint, ready, sort, search, choose


def main():
    counts = [int(text) for text in sys.argv[2:]] or [500, 5000]
    workshop = Workshop()
    named = os.environ.get("PARITY_TEST_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=named, args=["--no-sandbox"])
        print("| taps | size | first paint | ready | sort | search | choose a layer |\n|--:|--:|--:|--:|--:|--:|--:|")
        for taps in counts:
            path = page_of(workshop, taps)
            medians = [statistics.median(column) for column in zip(*(measured(browser, path) for _ in range(RUNS)))]
            cells = " | ".join(f"{value:.0f} ms" for value in medians)
            print(f"| {taps // 5 * 5 + 4} | {path.stat().st_size / 1e6:.2f} MB | {cells} |", flush=True)
        browser.close()
    workshop.close()


if __name__ == "__main__":
    main()
