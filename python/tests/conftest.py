"""What all tests share."""

import pytest

from relayopt.ir.transform import PassContext


@pytest.fixture(autouse=True)
def _fresh_contexts():
    """Contexts and instruments that a test leaves behind do not reach the next one."""
    yield
    PassContext._stack().clear()
    PassContext._local.default._instruments = []
