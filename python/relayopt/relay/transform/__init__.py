"""Passes on Relay: one factory for each, and what passes are made of."""

from .transform import *
from .transform import _run_on_expr, FunctionPass, function_pass
from .recast import recast
from . import mixed_precision, memory_alloc, infer_layout_utils, fake_quantization_to_integer
from ...ir.transform import *
from ...ir.transform import ModulePass, Pass, PassContext, PassInfo, Sequential, module_pass, PrintIR
