"""Numpy references of operators."""

from relayopt.testing.references import *
