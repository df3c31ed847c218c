"""Computing float networks on integers."""

from .quantize import *
from .quantize import QConfig, current_qconfig, prerequisite_optimize, qconfig, quantize
from . import quantize as _quantize, _annotate
