"""`import tvm` for Relay code: every module that relayopt has is relayopt's own; the others raise when they are used.

`tvm.relay.transform` is `relayopt.relay.transform`, the same module object.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

import relayopt

_HERE = os.path.dirname(__file__)
# Modules of this package, which relayopt does not have or has in part.
_OWN = ("topi", "contrib", "autotvm", "script", "testing", "_ffi", "auto_scheduler", "meta_schedule", "rpc", "micro",
        "driver")


def _foreign_tvm():
    for folder in sys.path:
        path = os.path.join(folder or ".", "tvm", "__init__.py")
        if os.path.isfile(path) and not os.path.samefile(os.path.dirname(path), _HERE):
            if os.path.isdir(os.path.join(os.path.dirname(path), "runtime")):
                return os.path.dirname(path)
    return None


if os.environ.get("RELAYOPT_SHADOW_TVM") != "1":
    _other = _foreign_tvm()
    if _other is not None:
        raise ImportError(f"TVM itself is installed in {_other}: set RELAYOPT_SHADOW_TVM=1 to use relayopt in its place")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Resolves tvm.X to relayopt.X."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("tvm.") or name.split(".")[1] in _OWN:
            return None
        real = "relayopt" + name[3:]
        if real not in sys.modules:
            try:
                importlib.import_module(real)
            except ModuleNotFoundError as error:
                if error.name is not None and real.startswith(error.name):
                    return None
                raise
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        module = sys.modules["relayopt" + spec.name[3:]]
        self._kept = (module.__spec__, getattr(module, "__loader__", None), module.__package__)
        return module

    def exec_module(self, module):
        # The import system wrote its spec over that of relayopt's module.
        module.__spec__, module.__loader__, module.__package__ = self._kept


# What generates code, tunes and deploys. It can be imported, and raises when it is used.
_MISSING = ("tvm.arith", "tvm.auto_scheduler", "tvm.autotvm", "tvm.contrib", "tvm.driver", "tvm.exec", "tvm.meta_schedule",
            "tvm.micro", "tvm.relay.backend.aot", "tvm.relay.data_dep_optimization", "tvm.relay.frontend",
            "tvm.relay.op.contrib", "tvm.relay.op.strategy", "tvm.rpc", "tvm.script.parser", "tvm.support",
            "tvm.target.datatype", "tvm.target.intrin", "tvm.te", "tvm.testing.aot", "tvm.tir", "tvm.topi")


class _MissingFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes modules of what is missing; asked last."""

    def find_spec(self, full_name, path=None, target=None):
        name = full_name
        # `from tvm.relay.op.contrib import x` asks for a part of relayopt's module.
        if name.startswith("relayopt."):
            name = "tvm" + name[8:]
        if not any(name == prefix or name.startswith(prefix + ".") for prefix in _MISSING):
            return None
        return importlib.machinery.ModuleSpec(full_name, self, is_package=True)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        from ._missing import missing

        importer = ".frontend" in module.__name__
        module.__getattr__ = missing(module.__name__, "relayopt reads Relay text, TVM's JSON and ONNX only" if importer else
                                     "relayopt generates no code")


# Helpers for tests, networks and numpy references (`testing`, `relay.testing`, `topi.testing`): in a checkout in test/tvm, and
# inside of this package where it is installed.
_TESTS = os.path.join(_HERE, "..", "..", "..", "test", "tvm")
if not os.path.isdir(_TESTS):
    _TESTS = os.path.join(_HERE, "_tests")
__path__.append(_TESTS)
relayopt.relay.__path__.append(os.path.join(_TESTS, "relay"))

sys.meta_path.insert(0, _Finder())
sys.meta_path.append(_MissingFinder())

for _name in dir(relayopt):
    if not _name.startswith("__") and _name not in _OWN:
        globals()[_name] = getattr(relayopt, _name)

from relayopt import DiagnosticError, TVMError, error, instrument, ir, nd, parser, relay, runtime, target, te, tir, transform

for _name, _module in list(sys.modules.items()):
    if _name.startswith("relayopt.") and _name.split(".")[1] not in _OWN:
        sys.modules.setdefault("tvm" + _name[8:], _module)

from . import _ffi, autotvm, contrib, driver, script, topi
from .driver import build, lower

__version__ = "0.15.0"
sys.setrecursionlimit(max(sys.getrecursionlimit(), 10000))


def __getattr__(name):
    # Helpers for tests need pytest, which programs do without.
    if name == "testing":
        return importlib.import_module("tvm.testing")
    raise AttributeError(f"module 'tvm' has no attribute '{name}'")


def get_global_func(name, allow_missing=False):
    return relayopt.runtime.get_global_func(name, allow_missing)
