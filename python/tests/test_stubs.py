"""The type stubs say what the modules hold."""

import importlib.util
import pathlib
import sys

import pytest

from relayopt import _core, _ffi

FILE = pathlib.Path(__file__).resolve().parents[1] / "make_stubs.py"


def test_stubs_are_what_would_be_written():
    spec = importlib.util.spec_from_file_location("make_stubs", FILE)
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    # The nanobind that there is for Python 3.9 is an older one, which shows signatures in another way.
    core = stubs.core() if sys.version_info >= (3, 10) else {}
    for name, text in {**stubs.operators(), **stubs.passes(), **core}.items():
        assert (stubs.PACKAGE / name).read_text(encoding="utf-8") == text, f"{name}: run python/make_stubs.py"


@pytest.mark.parametrize("key", sorted(_ffi._by_key))
def test_annotated_fields_are_those_of_the_core(key):
    cls = _ffi._by_key[key]
    known = _core.field_names(key)
    if known is not None and cls.__module__.startswith("relayopt."):
        wanted = {name for base in cls.__mro__ for name in vars(base).get("__annotations__", ()) if name not in vars(base)}
        assert wanted <= set(known)
