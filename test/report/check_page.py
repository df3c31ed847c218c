#!/usr/bin/env python3
"""Uses the pages of reports in a browser, and compares them with the pictures in docs/images:

check_page.py RELAYOPT [--update]

--update writes the pictures instead. Needs Playwright (PyPI), Debian's chromium and fonts-dejavu-core."""
import base64
import pathlib
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"

# Returns the part of the pixels of two pictures that differ visibly, at half the size: times and the edges of letters
# differ from run to run.
DIFFERENCE = """async ([got, want]) => {
  const pixels = async (data) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), {width: image.width >> 1, height: image.height >> 1});
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  };
  const [a, b] = [await pixels(got), await pixels(want)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  let apart = 0;
  for (let i = 0; i < a.data.length; i += 4)
    if ([0, 1, 2].some((c) => Math.abs(a.data[i + c] - b.data[i + c]) > 48)) ++apart;
  return apart / (a.width * a.height);
}"""
TOLERANCE = 0.02


def make_report(relayopt, folder, name, *arguments):
    path = pathlib.Path(folder) / name
    subprocess.run([relayopt, *arguments, "-q", f"--report={path}"], check=True, capture_output=True, cwd=ROOT)
    return path


class Page:
    """A page that fails when the browser reports an error or asks for anything outside."""

    def __init__(self, browser, path):
        self.page = browser.new_page(viewport={"width": 1440, "height": 860}, accept_downloads=True)
        self.errors = []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: None if request.url.startswith(("file:", "data:", "blob:"))
                     else self.errors.append(request.url))
        self.page.goto(path.as_uri())

    def close(self):
        assert not self.errors, self.errors
        self.page.close()


def compare_picture(page, name, update):
    """Compares what the page shows with a picture; returns what is wrong, or an empty text."""
    page.wait_for_timeout(100)
    got = page.screenshot()
    path = IMAGES / name
    if update:
        path.write_bytes(got)
        return ""
    encoded = [base64.b64encode(data).decode() for data in (got, path.read_bytes())]
    apart = page.evaluate(DIFFERENCE, encoded)
    if apart <= TOLERANCE:
        return ""
    seen = pathlib.Path(tempfile.gettempdir()) / name
    seen.write_bytes(got)
    return f"{name}: {100 * apart:.1f} % of the pixels differ; see {seen}, or run with --update"


def show_network(page):
    page.locator(".pass", has_text="FuseOps").click()
    page.locator(".cell.b[data-l]", has_text="nn.conv2d").nth(1).click()


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
    # The first value that differs is marked on both sides, and a click on it selects it.
    assert page.locator(".cell.apart").count() == 2
    page.click(".parts")
    assert page.locator(".cell.b.sel").count() == 1


def check_origins(page):
    """The parts of a batch norm came from it, and a click on the origin shows it in the input."""
    page.locator(".pass", has_text="SimplifyInference").click()
    page.locator(".cell.b[data-l]", has_text="multiply").first.click()
    detail = page.inner_text("#detail").lower()
    assert "came from" in detail and "nn.batch_norm" in detail and "through" in detail, detail
    assert page.locator(".cell.a.kin").count() >= 1 and page.locator(".cell.b.kin").count() >= 1
    page.locator(".source", has_text="nn.batch_norm").first.click()
    assert "nn.batch_norm" in page.inner_text(".cell.a.sel")


def check_guilty(page):
    assert page.inner_text("#finding").startswith("bisect: #2 TestMiscompile")
    assert page.locator(".row.mod, .row.both, .row.add").count() > 0


def check_onnx(page):
    """The nodes are those of the files, and the last step is the model in the file."""
    assert "71 → 62" in page.inner_text("#tiles"), page.inner_text("#tiles")
    assert page.locator(".pass b").all_inner_texts()[-1] == "(write ONNX)"


def make_model(relayopt):
    """Writes ResNet-18 as an ONNX model; returns its path, which the picture shows."""
    path = pathlib.Path("build", "resnet-18.onnx")
    subprocess.run([relayopt, "test/networks/resnet-18.relay", "--bind-params=random", "-O0", "-q", "-o", path], check=True,
                   capture_output=True, cwd=ROOT)
    return str(path)


def main():
    relayopt = pathlib.Path(sys.argv[1]).resolve()
    update = "--update" in sys.argv
    wrong = []
    miscompiled = ["--passes=FoldConstant,TestMiscompile", "lit-tests/bisect/Inputs/functions-of-floats.relay"]
    resnet = ["test/networks/resnet-18.relay", "--bind-params=random", "-O3"]
    program = ["test/report/matmul.py", "--passes=tir.UnrollLoop,tir.Simplify"]
    cases = [
        (check_network, resnet),
        (check_origins, resnet),
        (check_program, ["lit-tests/report/shows-a-tensor-program.py", "--passes=tir.UnrollLoop"]),
        (check_guilty, [*miscompiled, "--bisect"]),
    ]
    # How each picture comes about.
    model = ["", "--passes=default<onnx>", "--validate"]
    cases.append((check_onnx, model))
    pictures = [
        ("report-onnx.png", model, []),
        ("report-resnet-18.png", resnet, [show_network]),
        ("report-resnet-18-dark.png", resnet, [show_network, lambda page: page.keyboard.press("d")]),
        ("report-tir.png", program, []),
        ("report-bisect.png", [*miscompiled, "--bisect"], []),
    ]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        model[0] = make_model(relayopt)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for check, arguments in cases:
            page = Page(browser, make_report(relayopt, folder, f"{check.__name__}.html", *arguments))
            check(page.page)
            page.close()
            print(check.__name__, "ok")
        for name, arguments, steps in pictures:
            page = Page(browser, make_report(relayopt, folder, f"{name}.html", *arguments))
            for step in steps:
                step(page.page)
            wrong.append(compare_picture(page.page, name, update))
            page.close()
            print(name, wrong[-1] or "ok")
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
    if any(wrong):
        sys.exit(1)


if __name__ == "__main__":
    main()
