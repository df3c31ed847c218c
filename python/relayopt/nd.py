"""Tensors, as in TVM's `tvm.nd`."""

from .runtime.device import *
from .runtime.ndarray import *
