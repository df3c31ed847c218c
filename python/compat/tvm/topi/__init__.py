"""Operators as tensor expressions: not part of relayopt, but for their numpy references."""

from .._missing import missing
from . import cuda, testing, utils

nn = missing("tvm.topi", "relayopt has no tensor expressions")("nn")
__getattr__ = missing("tvm.topi", "relayopt has no tensor expressions")
