"""Operators as tensor expressions: not part of relayopt, but for their numpy references."""

import os

import tvm

from .._missing import missing

__path__.append(os.path.join(tvm._TESTS, "topi"))

from . import cuda, nn, testing, utils

__getattr__ = missing("tvm.topi", "relayopt has no tensor expressions")
