"""Registering things about operators."""

from __future__ import annotations

from ...ir.op import Op, register as register, register_op_attr as register_op_attr
from .builders import call as _call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def get(op_name: str) -> Op:
    """The operator of a name.

    >>> op = relay.op.get("nn.conv2d")
    >>> op.name, op.num_inputs, op.support_level
    ('nn.conv2d', 2, 2)
    """
    return Op.get(op_name)


class OpPattern:
    """How operators take part in fusion."""

    ELEMWISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    COMM_REDUCE = 3
    OUT_ELEMWISE_FUSABLE = 4
    TUPLE = 7
    OPAQUE = 8


def register_stateful(op_name: str, stateful: bool, level: int = 10) -> None:
    """Says whether an operator must not be copied, merged or dropped."""
    Op.get(op_name).set_attr("TOpIsStateful", stateful, level)


def _registrar(key: str, doc: str) -> Callable[..., Any]:
    def register_it(op_name: str, function: int | None = None, level: int = 10) -> Any:
        return register_op_attr(op_name, key, function, level)

    register_it.__doc__ = doc
    return register_it


register_compute = _registrar("FTVMCompute", "Registers how an operator computes; stored only.")
register_strategy = _registrar("FTVMStrategy", "Registers a strategy; stored only.")
register_alter_op_layout = _registrar("FTVMAlterOpLayout", "Registers what AlterOpLayout does with an operator.")
register_convert_op_layout = _registrar("FTVMConvertOpLayout", "Registers what ConvertLayout does with an operator.")
register_legalize = _registrar("FTVMLegalize", "Registers what Legalize does with an operator.")
register_infer_correct_layout = _registrar("FInferCorrectLayout", "Registers the layouts of an operator.")
register_pattern = _registrar("TOpPattern", "Registers how an operator takes part in fusion.")
register_shape_func = _registrar("FShapeFunc", "Registers a shape function; stored only.")
register_external_compiler = _registrar("TExternal", "Registers an external compiler; stored only.")
register_fake_quantization_to_integer = _registrar(
    "FTVMFakeQuantizationToInteger", "Registers how an operator is computed on integers."
)
register_optional_fake_quantization_to_integer = _registrar(
    "FTVMOptionalFakeQuantizationToInteger", "Registers how an operator may be computed on integers."
)
register_mixed_precision_conversion = _registrar(
    "FTVMMixedPrecisionConversionType", "Registers how an operator takes part in mixed precision."
)


def register_gradient(op_name: Any, fgradient: Any = None, level: int = 10) -> Any:
    """Registers the gradient of an operator."""
    return register_op_attr(op_name, "FPrimalGradient", fgradient, level)


def _schedules(name: Any, level: int = 10) -> None:
    """Schedules belong to code generation: there is none."""


register_injective_schedule = register_broadcast_schedule = register_reduce_schedule = _schedules
register_schedule = lambda op_name, schedule=None, level=10: None


def debug(expr: Any, debug_func: Any = None) -> Any:
    """The expression, with a function that is called when it is evaluated."""
    return _call("debug", (expr,), {"debug_func": ""})
