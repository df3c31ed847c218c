"""Functions of quantized numbers as tables."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...expr import RelayExpr


def run_const_expr(expr: RelayExpr) -> np.ndarray[Any, Any]:
    """The value of an expression without parameters."""
    from ....ir.module import IRModule
    from ...build_module import create_executor

    result: np.ndarray[Any, Any] = create_executor("vm", mod=IRModule.from_expr(expr)).evaluate()().numpy()
    return result


def create_integer_lookup_table(floating_point_func: Callable[[np.ndarray[Any, Any]], Any], input_scale: RelayExpr,
                                input_zero_point: RelayExpr, output_scale: RelayExpr, output_zero_point: RelayExpr,
                                in_axis: int = -1, out_axis: int = -1, in_dtype: str = "uint8",
                                out_dtype: str = "uint8") -> np.ndarray[Any, Any]:
    """The results of a function of floats for all quantized numbers, by their bits."""
    from ...expr import const
    from . import dequantize, quantize

    if not (np.issubdtype(np.dtype(in_dtype), np.integer) and np.issubdtype(np.dtype(out_dtype), np.integer)):
        raise ValueError(f"Only integer dtypes allowed got {in_dtype} and {out_dtype} for in and out dtypes.")
    bits = np.iinfo(in_dtype).bits
    every = const(np.arange(2**bits, dtype=f"uint{bits}").view(in_dtype))
    numbers = run_const_expr(dequantize(every, input_scale, input_zero_point, axis=in_axis))
    results = const(np.asarray(floating_point_func(numbers), dtype="float32"))
    return run_const_expr(quantize(results, output_scale, output_zero_point, out_axis, out_dtype))


def create_integer_lookup_op(input_arg: RelayExpr, floating_point_func: Callable[[np.ndarray[Any, Any]], Any],
                             in_scale: Any, in_zero_point: Any, out_scale: Any, out_zero_point: Any, in_axis: int = -1,
                             out_axis: int = -1, in_dtype: str = "uint8", out_dtype: str = "uint8") -> RelayExpr:
    """A function of floats of a quantized operand, as a look-up. Scales and zero points are constants without axes.

    >>> data = relay.const(np.array([0, 64], "int8"))
    >>> one, zero = relay.const(1 / 64), relay.const(0)
    >>> table = relay.qnn.op.canonicalizations
    >>> table.run_const_expr(table.create_integer_lookup_op(data, np.sin, one, zero, one, zero, in_dtype="int8"))
    array([ 0, 54], dtype=uint8)
    """
    from ... import op
    from ...expr import const

    scale, zero_point, scale_after, zero_point_after = (
        const(each.data.numpy().item(), dtype)
        for each, dtype in ((in_scale, "float32"), (in_zero_point, "int32"), (out_scale, "float32"),
                            (out_zero_point, "int32"))
    )
    table = create_integer_lookup_table(floating_point_func, scale, zero_point, scale_after, zero_point_after, in_axis,
                                        out_axis, in_dtype, out_dtype)
    position = op.reinterpret(op.reshape(input_arg, [-1]), f"uint{np.iinfo(in_dtype).bits}")
    result: RelayExpr = op.reshape_like(op.gather(const(table), -1, position), input_arg)
    return result
