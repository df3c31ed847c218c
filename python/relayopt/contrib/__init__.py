"""Extras."""

from . import graph_executor
