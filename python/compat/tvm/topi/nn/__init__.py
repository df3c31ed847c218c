"""Operators of neural networks as tensor expressions: not part of relayopt, but for what Relay programs ask of them."""

from ..._missing import missing
from . import qnn

__getattr__ = missing("tvm.topi.nn", "relayopt has no tensor expressions")
