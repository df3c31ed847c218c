"""Symbolic scalars: what extents and integer attributes are made of."""

from .expr import *
from .function import PrimFunc as PrimFunc
from . import expr
