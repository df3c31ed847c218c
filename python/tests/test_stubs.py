"""The type stubs say what the modules hold."""

import importlib.util
import pathlib

FILE = pathlib.Path(__file__).resolve().parents[1] / "make_stubs.py"


def test_stubs_are_what_would_be_written():
    spec = importlib.util.spec_from_file_location("make_stubs", FILE)
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    for name, text in {**stubs.operators(), **stubs.passes(), **stubs.core()}.items():
        assert (stubs.PACKAGE / name).read_text(encoding="utf-8") == text, f"{name}: run python/make_stubs.py"
