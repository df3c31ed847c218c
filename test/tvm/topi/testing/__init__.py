"""Numpy references of operators."""

from .references import *
