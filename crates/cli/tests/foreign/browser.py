"""The pages of reports in headless Chromium: no complaint on the console, charts drawn, sorting, search and brush.

A plan on standard input names the pages. Where there is no Chromium, or no client for it, it says so and is skipped.
On paper there is every heading and row, and no control. With a folder in URIMILL_SCREENSHOTS, it leaves pictures of
each page there.
"""

import base64
import io
import json
import os
import shutil
import sys
import time
import unicodedata
from pathlib import Path


def skip(why):
    assert not os.environ.get("CI"), why
    print("skipped:", why)
    sys.exit(0)


try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.chrome.service import Service
except ImportError:
    skip("no selenium: it is in crates/cli/tests/foreign/requirements.txt")
from pypdf import PdfReader

driver = shutil.which("chromedriver")
browser = shutil.which("chromium")
if not (driver and browser):
    skip("no Chromium: apt install chromium chromium-driver")


def start():
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


def look(window, page, width, colours):
    """The page at this width and in these colours; returns its background and the seconds that it took."""
    features = [{"name": "prefers-color-scheme", "value": colours}]
    window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    metrics = {"width": width, "height": 1400, "deviceScaleFactor": 1, "mobile": width < 500}
    window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    began = time.monotonic()
    window.get(page.as_uri())
    took = time.monotonic() - began
    assert window.get_log("browser") == [], (page, "the console")
    assert window.execute_script("return document.documentElement.scrollWidth") <= width, (page, width, "too wide")
    for svg in window.find_elements(By.CSS_SELECTOR, "main svg[role=img]"):
        assert svg.size["width"] > 100 and svg.size["height"] > 10, (page, "a chart of no size")
        assert svg.get_attribute("aria-label"), (page, "a chart without a name")
    folder = os.environ.get("URIMILL_SCREENSHOTS")
    if folder:
        window.save_screenshot(str(Path(folder) / f"{page.stem}-{width}-{colours}.png"))
    return window.execute_script("return getComputedStyle(document.body).backgroundColor"), took


def shown(window):
    return window.execute_script(
        "return [...document.querySelectorAll('table.sortable tbody tr')].filter((row) => !row.hidden).length")


def use(window, page):
    """Searches, sorts and selects."""
    rows = shown(window)
    charts = len(window.find_elements(By.CSS_SELECTOR, "main svg[role=img]"))
    assert rows > 0 and charts > 0, (page, rows, charts)
    cell = window.execute_script("return document.querySelector('.cards .card td.t, .cards .card td').textContent")
    search = window.find_element(By.ID, "search")
    search.send_keys(cell)
    left = shown(window)
    assert 0 < left < rows, (page, cell, left, rows)
    found = window.find_element(By.ID, "found").text
    assert found == f"{left} of {rows} rows", (page, found)
    search.clear()
    search.send_keys("\ue003no such text anywhere")
    assert shown(window) == 0, page
    search.clear()
    search.send_keys(" \ue003")
    assert shown(window) == rows, (page, "after the search")
    sums = "const table = document.querySelector('.cards table'); return [...table.tBodies[0].rows].map((row) => +row.cells[1].dataset.v)"
    button = "document.querySelectorAll('.cards table thead button')[1].click();"
    window.execute_script(button)
    assert window.execute_script(sums) == sorted(window.execute_script(sums), reverse=True), (page, "descending")
    window.execute_script(button)
    assert window.execute_script(sums) == sorted(window.execute_script(sums)), (page, "ascending")
    if window.find_elements(By.ID, "from"):
        before = window.find_element(By.ID, "selected").text
        assert "records" in before, page
        lines = "return [...document.querySelectorAll('#intervals tbody tr')].filter((row) => !row.hidden).length"
        every = window.execute_script(lines)
        slider = window.find_element(By.ID, "to")
        slider.send_keys("\ue011")  # Home: the first column alone.
        assert window.execute_script(lines) == 1 or every == 1, (page, "the keyboard")
        assert every == 1 or window.find_element(By.ID, "selected").text != before, page
        assert window.get_log("browser") == [], (page, "the console")
    return rows, charts


def printed(window, page):
    """The page on paper, of dark colours and with a search: every heading and row, no controls; returns the pages."""
    window.get(page.as_uri())
    headings = window.execute_script("return [...document.querySelectorAll('h1, h2, h3')].map((one) => one.textContent)")
    inputs = window.execute_script("return [...document.querySelectorAll('details li')].map((one) => one.textContent)")
    pdf = window.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"]
    sheets = PdfReader(io.BytesIO(base64.b64decode(pdf))).pages
    text = squeezed("".join(sheet.extract_text() for sheet in sheets))
    assert headings and inputs, page
    for wanted in headings + inputs:
        assert squeezed(wanted) in text, (page, wanted, "is not on paper")
    # Every row of a table, also those below the part that a screen shows.
    last = window.execute_script(
        "return [...document.querySelectorAll('.cards table')].map((one) => [...one.tBodies[0].rows].at(-1).cells[0].textContent)")
    for wanted in last:
        assert squeezed(wanted) in text, (page, wanted, "is not on paper")
    for control in ["text in any table", "Skip to the figures"]:
        assert squeezed(control) not in text, (page, control, "is on paper")
    return len(sheets)


def squeezed(text):
    """Without white space, as lines on paper break elsewhere, and without the ligatures of fonts."""
    return "".join(unicodedata.normalize("NFKC", text).split())


plan = json.load(sys.stdin)
assert plan["pages"]
window = start()
try:
    for case in plan["pages"]:
        page = Path(case["page"]).resolve()
        looks = {(width, colours): look(window, page, width, colours)
                 for width in (1200, 390) for colours in ("light", "dark")}
        light, dark = (looks[1200, colours][0] for colours in ("light", "dark"))
        assert light != dark, (page, "the colours")
        rows, charts = use(window, page)
        sheets = printed(window, page)
        longest = max(took for _, took in looks.values())
        print(f"{case['name']}: {rows} rows, {charts} charts, {page.stat().st_size} bytes, opened in {longest:.2f} s, "
              f"{sheets} sheets of paper")
finally:
    window.quit()
