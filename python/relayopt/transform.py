"""Passes of every kind: those of Relay and what they are made of."""

from .ir.transform import *
