"""Helpers for tests."""

from .utils import *
from .utils import _auto_parametrize_target, _target_to_requirement
from . import plugin, utils


def __getattr__(name):
    # Requirements that nobody has named here are not met.
    if name.startswith("requires_"):
        return utils._skip(f"{name}: needs what relayopt does not have")
    raise AttributeError(f"module 'tvm.testing' has no attribute '{name}'")
