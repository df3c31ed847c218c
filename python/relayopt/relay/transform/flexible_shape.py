"""Dispatching to one of several functions by an extent of the inputs."""

from __future__ import annotations

from ...ir.transform import make_pass
from ..binding import bind
from ..expr import Call, If, Tuple, TupleGetItem, Var, const
from ..function import Function
from ..ty import Any, TensorType, TupleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any as _Any

    from ...ir.expr import GlobalVar, RelayExpr
    from ...ir.module import IRModule
    from ...ir.type import Type


def override_shape(tensor_type: Type, axis: _Any, dim: _Any) -> Type:
    """A tensor type with another extent along `axis`; of a tuple type, one whose fields have it."""
    if isinstance(tensor_type, TupleType):
        return TupleType([override_shape(field, axis, dim) for field in tensor_type.fields])
    extents = list(tensor_type.shape)
    extents[axis] = dim
    return TensorType(extents, tensor_type.dtype)


def _each_tensor(value: RelayExpr, type_: Type, change: Callable[..., _Any]) -> _Any:
    """A value with every tensor changed that its type says it holds."""
    if isinstance(type_, TupleType):
        return Tuple([_each_tensor(TupleGetItem(value, i), field, change) for i, field in enumerate(type_.fields)])
    return change(value)


def specialize_body(mod: IRModule, function: _Any, axis: _Any, dim: int, input_indices: Sequence[int],
                    affects_output: bool = True) -> tuple[GlobalVar, list[Type]]:
    """Adds `main_DIM` to the module: the function for inputs whose extent along `axis` is `dim`.

    Gives the global variable and the types of the inputs that `input_indices` names.
    """
    from ...ir.expr import GlobalVar

    params, replaced = list(function.params), {}
    for index in input_indices:
        param = params[index]
        params[index] = Var(param.name_hint, override_shape(param.type_annotation, axis, dim))
        replaced[param] = params[index]
    # Parameters are of one function only.
    for index, param in enumerate(params):
        if index not in input_indices:
            params[index] = replaced[param] = Var(param.name_hint, param.type_annotation)
    result = override_shape(function.ret_type, axis, dim) if affects_output else function.ret_type
    var = GlobalVar(f"main_{dim}")
    mod[var] = Function(params, bind(function.body, replaced), result, function.type_params, function.attrs)
    return var, [params[index].type_annotation for index in input_indices]


def flexible_dispatch(mod: IRModule, buckets: _Any, axis: _Any = 0, auto_pad: bool = False, pad_value: int = 0,
                      input_indices: _Any = None, affects_output: bool = True) -> IRModule:
    """The module with a function for every bucket, and a `main` that calls the one for the extent it is given."""
    from .. import op
    buckets = sorted(int(bucket) for bucket in buckets)
    if not buckets:
        raise ValueError("FlexibleShapeDispatch: buckets must name at least one extent")
    input_indices = [0] if input_indices is None else list(input_indices)
    main = mod["main"]
    params = [Var(param.name_hint, param.type_annotation) for param in main.params]
    for index in input_indices:
        params[index] = Var(params[index].name_hint, override_shape(params[index].type_annotation, axis, Any()))
    extent = op.take(op.shape_of(params[input_indices[0]]), const(axis))

    functions = {b: specialize_body(mod, main, axis, b, input_indices, affects_output) for b in buckets}

    def call_of(bucket: int, pad: bool) -> _Any:
        function, types = functions[bucket]
        args = list(params)
        for index, type_ in zip(input_indices, types):
            data = params[index]
            if pad:
                rank = len(type_.shape)
                widths = op.zeros([rank, 2], "int32")
                widths = op.scatter_nd(widths, const([axis, 1]), op.subtract(const(bucket), extent), "update")
                data = op.nn.pad(data, widths, const(float(pad_value), type_.dtype))
            # What is known of the shape here the types do not say.
            args[index] = op.reshape(data, [int(e) for e in type_.shape])
        made = Call(function, args)
        if not affects_output:
            return made
        # Drops what padding has added; the extent is open in all branches.
        rows = op.arange(const(0), extent, dtype="int32")
        return _each_tensor(made, main.ret_type, lambda tensor: op.take(tensor, rows, axis=axis))

    # The first bucket that fits. What fits into none goes to the largest one as it is, and the reshape fails.
    test = op.less_equal if auto_pad else op.equal
    body = call_of(buckets[-1], False)
    for bucket in reversed(buckets):
        body = If(test(extent, const(bucket)), call_of(bucket, auto_pad), body)
    result = override_shape(main.ret_type, axis, Any()) if affects_output else main.ret_type
    mod["main"] = Function(params, body, result, main.type_params, main.attrs)
    return make_pass("InferType")(mod)


class FlexibleShapeDispatch:
    """Makes a module take inputs of several extents along one axis, such as batches.

    `buckets` are the extents for which there is to be a function with static shapes; `main` calls the one that fits. With
    `auto_pad` inputs between two buckets are padded with `pad_value` up to the larger one; without it the extent has to be
    one of the buckets. `input_indices` are the parameters that have the extent (by default the first), `affects_output`
    says whether the result has it, too. An input that fits no bucket is an error when the module runs.
    """

    def __init__(self, buckets: Sequence[int], axis: _Any = 0, auto_pad: bool = False, pad_value: int = 0,
                 input_indices: Sequence[int] | None = None, affects_output: bool = True) -> None:
        self.axis, self.buckets = axis, buckets
        self.auto_pad, self.pad_value = auto_pad, pad_value
        self.input_indices, self.affects_output = input_indices, affects_output

    def __call__(self, mod: IRModule) -> IRModule:
        return flexible_dispatch(make_pass("InferType")(mod)._copy(), self.buckets, self.axis, self.auto_pad, self.pad_value,
                                 self.input_indices, self.affects_output)
