"""TVMScript: not part of relayopt's Python package."""

from .._missing import missing
from . import tir

ir = missing("tvm.script", "relayopt's Python package reads no TVMScript")("ir")
__getattr__ = missing("tvm.script", "relayopt's Python package reads no TVMScript")
