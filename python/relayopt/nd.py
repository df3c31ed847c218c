"""Tensors, as in the reference's `tvm.nd`."""

from .runtime.device import *
from .runtime.ndarray import *
