"""CUDA: not part of relayopt."""

from .._missing import missing


def have_fp16(*_):
    return False


def exists():
    return False


__getattr__ = missing("tvm.contrib.nvcc", "relayopt runs on the CPU only")
