#!/usr/bin/env python3
"""Uses the pages of reports in a browser: check_page.py RELAYOPT. Needs Playwright (PyPI) and Debian's chromium."""
import pathlib
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]


def make_report(relayopt, folder, name, *arguments):
    path = pathlib.Path(folder) / name
    subprocess.run([relayopt, *arguments, "-q", f"--report={path}"], check=True, capture_output=True, cwd=ROOT)
    return path


class Page:
    """A page that fails when the browser reports an error or asks for anything outside."""

    def __init__(self, browser, path):
        self.page = browser.new_page(viewport={"width": 1440, "height": 900}, accept_downloads=True)
        self.errors = []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: None if request.url.startswith(("file:", "data:", "blob:"))
                     else self.errors.append(request.url))
        self.page.goto(path.as_uri())

    def close(self):
        assert not self.errors, self.errors
        self.page.close()


def check_network(page):
    title = page.inner_text("#title")
    assert title == "resnet-18.relay", title
    assert "72 → 31" in page.inner_text("#tiles")
    names = page.locator(".pass b").all_inner_texts()
    assert names[0] == "All passes" and "FuseOps" in names, names
    # Keys: down to the next pass that changed something, which is then marked.
    page.keyboard.press("ArrowDown")
    first = page.inner_text(".pass.on b")
    page.keyboard.press("ArrowDown")
    assert page.inner_text(".pass.on b") == "SimplifyInference" != first
    assert page.inner_text("#headafter") == "after SimplifyInference"
    assert "became" in page.inner_text("#detail")
    # Search finds and selects an expression.
    page.keyboard.press("/")
    page.keyboard.type("nn.softmax")
    assert page.inner_text("#found") == "1 found", page.inner_text("#found")
    assert page.locator(".cell.sel").count() >= 1
    assert "in every pass" in page.inner_text("#detail").lower()
    page.keyboard.press("Escape")
    assert page.locator(".cell.sel").count() == 0
    # A click selects, and a node of the graph does, too.
    page.locator(".pass", has_text="FuseOps").click()
    page.locator(".cell.b[data-l]", has_text="nn.conv2d").first.click()
    assert "nn.conv2d" in page.inner_text("#detail h2")
    assert page.locator(".cell.b.sel").count() == 1
    page.keyboard.press("Escape")
    box = page.locator("#graphafter").bounding_box()
    middle = box["x"] + box["width"] / 2
    hit = 0
    for y in range(0, int(box["height"]), 12):
        page.mouse.click(middle, box["y"] + y)
        hit += page.locator(".cell.sel").count()
    assert hit > 0, "no node of the graph selects an expression"
    # Only the rows that are seen are there.
    assert page.locator(".row").count() < 120
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    for key in "tgggfaad":
        page.keyboard.press(key)
    assert "dark" in page.locator("html").get_attribute("class")
    with page.expect_download() as download:
        page.click("#save")
    text = pathlib.Path(download.value.path()).read_text()
    assert text.startswith("def @main(%data: Tensor[(1, 3, 224, 224), float32]"), text[:80]


def check_program(page):
    assert "B[1] = A[1]" in page.inner_text("#rows")


def check_mismatch(page):
    assert page.inner_text(".pass.on b") == "TestMiscompile"
    assert "another result" in page.inner_text("#detail")
    assert "1 wrong" in page.inner_text("#tiles")


def check_guilty(page):
    assert page.inner_text("#finding").startswith("bisect: #2 TestMiscompile")
    assert page.locator(".row.mod, .row.both, .row.add").count() > 0


def main():
    relayopt = pathlib.Path(sys.argv[1]).resolve()
    miscompiled = ["--passes=FoldConstant,TestMiscompile", "lit-tests/bisect/Inputs/functions-of-floats.relay"]
    cases = [
        (check_network, ["test/networks/resnet-18.relay", "--bind-params=random", "-O3"]),
        (check_program, ["lit-tests/report/shows-a-tensor-program.py", "--passes=tir.UnrollLoop"]),
        (check_guilty, [*miscompiled, "--bisect"]),
    ]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for check, arguments in cases:
            page = Page(browser, make_report(relayopt, folder, f"{check.__name__}.html", *arguments))
            check(page.page)
            page.close()
            print(check.__name__, "ok")
        # A mismatch ends with another status and writes files; the report is there all the same.
        path = pathlib.Path(folder) / "mismatch.html"
        run = subprocess.run([relayopt, *(a.replace("lit-tests", f"{ROOT}/lit-tests") for a in miscompiled), "--validate",
                              f"--report={path}"], capture_output=True, cwd=folder)
        assert run.returncode == 3, run
        page = Page(browser, path)
        check_mismatch(page.page)
        page.close()
        print("check_mismatch ok")
        browser.close()


if __name__ == "__main__":
    main()
