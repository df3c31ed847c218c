"""Schedules for CUDA: not part of relayopt."""

from ..._missing import missing

__getattr__ = missing("tvm.topi.cuda", "relayopt generates no code")
