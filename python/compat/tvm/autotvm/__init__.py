"""Tuning: not part of relayopt."""

from .._missing import missing

__getattr__ = missing("tvm.autotvm", "relayopt generates no code, so there is nothing to tune")
