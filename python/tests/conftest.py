"""What all tests share."""

import pathlib
import sys

import pytest

from relayopt import relay
from relayopt.ir.transform import PassContext

# Helpers, networks and numpy references of the package `tvm`, which tests of relayopt itself do without.
_TVM = pathlib.Path(__file__).resolve().parents[2] / "test" / "tvm"
relay.__path__.append(str(_TVM / "relay"))
sys.path.append(str(_TVM / "topi"))


@pytest.fixture(autouse=True)
def _fresh_contexts():
    """Contexts and instruments that a test leaves behind do not reach the next one."""
    yield
    PassContext._stack().clear()
    PassContext._local.default._instruments = []
