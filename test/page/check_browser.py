#!/usr/bin/env python3
"""Uses the page of the tool in a browser: check_browser.py relayopt.html [PICTURES]. Needs Playwright (PyPI) and Debian's
chromium. With PICTURES, a folder, writes what it saw there."""
import pathlib
import sys

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/report"))
from check_page import Page  # noqa: E402

ONNX = ROOT / "test/page/conv_bn_relu.onnx"


def wait_for_run(page):
    page.wait_for_function("document.getElementById('status').textContent.startsWith('done') || "
                           "document.getElementById('status').textContent.startsWith('exit')", timeout=60000)
    return page.inner_text("#status")


def run(page, passes):
    page.fill("#passes", passes)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("document.getElementById('cancel').hidden")
    return wait_for_run(page)


def check_network(page):
    assert wait_for_run(page).startswith("done"), page.inner_text("#status")
    assert page.inner_text("#name") == "resnet-18.relay"
    assert "Primitive=1" in page.inner_text("#shown")
    # The report is the tool's, inside of the page.
    page.click("#tabs button:has-text('Report')")
    report = page.frame_locator("#report")
    report.locator(".pass", has_text="FuseOps").wait_for()
    page.click("#tabs button:has-text('Summary')")
    page.wait_for_function("document.getElementById('shown').textContent.includes('kernels to launch')")
    # Another pipeline, with completion of its name and of an option.
    page.click("#tabs button:has-text('Output')")
    page.fill("#passes", "")
    page.type("#passes", "FuseO")
    assert page.locator("#choices li b").first.inner_text() == "FuseOps"
    page.keyboard.press("Enter")
    page.type("#passes", "<fuse")
    assert page.locator("#choices li b").first.inner_text() == "fuse_opt_level="
    page.keyboard.press("Escape")
    assert run(page, "SimplifyInference").startswith("done")
    assert "Primitive=1" not in page.inner_text("#shown")
    page.click("#tabs button:has-text('Difference')")
    page.wait_for_function("document.getElementById('shown').textContent.includes('nn.batch_norm')")


def check_errors(page):
    wait_for_run(page)
    page.fill("#text", '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) {\n  nn.relu(%y)\n}\n')
    assert run(page, "").startswith("exit status 1")
    message = page.locator(".message.error")
    assert "unknown variable %y" in message.inner_text()
    assert page.locator("#numbers .error").inner_text() == "3"
    message.click()
    assert page.evaluate("getSelection().toString() || document.getElementById('text').value.slice("
                         "document.getElementById('text').selectionStart, document.getElementById('text').selectionEnd)") == "%y"
    assert page.is_disabled("#download")
    page.fill("#text", '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) {\n  nn.relu(%x)\n}\n')
    assert run(page, "NoSuchPass").startswith("exit status 1")
    assert "NoSuchPass" in page.inner_text("#messages")


def check_download(page):
    wait_for_run(page)
    page.set_input_files("#file", ONNX)
    page.wait_for_function("document.getElementById('name').textContent === 'conv_bn_relu.onnx'")
    page.wait_for_function("document.getElementById('cancel').hidden")
    assert wait_for_run(page).startswith("done")
    assert page.input_value("#passes") == "default<onnx>"
    page.wait_for_function("document.getElementById('shown').textContent.includes('Conv')")
    with page.expect_download() as got:
        page.click("#download")
    assert got.value.suggested_filename == "conv_bn_relu-optimized.onnx"
    written = pathlib.Path(got.value.path()).read_bytes()
    assert b"BatchNormalization" in ONNX.read_bytes() and b"BatchNormalization" not in written and b"Conv" in written


def check_tensor_program(page):
    wait_for_run(page)
    page.select_option("#examples", "scale_and_add.py")
    page.wait_for_function("document.getElementById('cancel').hidden")
    assert wait_for_run(page).startswith("done")
    assert "@T.prim_func" in page.inner_text("#shown")


CHECKS = [check_network, check_errors, check_download, check_tensor_program]


def main():
    path = pathlib.Path(sys.argv[1]).resolve()
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for check in CHECKS:
            page = Page(browser, path)
            check(page.page)
            if pictures:
                page.page.screenshot(path=pictures / f"{check.__name__}.png")
            page.close()
        browser.close()
    print(f"{len(CHECKS)} checks of the page passed")


if __name__ == "__main__":
    main()
