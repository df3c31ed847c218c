"""Executors that show what they compute on the way."""

from . import debug_executor
