"""Functions of Relay."""

from __future__ import annotations

from .. import _core
from .._arguments import as_dict
from .._ffi import register_object
from ..ir.attrs import DictAttrs
from ..ir.function import BaseFunc
from ..ir.type import sequence
from .expr import Call, FunctionWithFields as FunctionWithFields, Var

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..ir.base import Span
    from ..ir.expr import RelayExpr
    from ..ir.type import Type, TypeVar


@register_object("relay.Function")
class Function(BaseFunc):
    """A function: parameters, body, and optionally result type, type parameters and attributes.

    >>> x = relay.var("x", shape=(2, 3))
    >>> f = relay.Function([x], relay.sum(x, axis=1))
    >>> relay.transform.InferType()(relayopt.IRModule.from_expr(f))["main"].checked_type
    fn (Tensor[(2, 3), float32]) -> Tensor[(2), float32]
    >>> f.with_attr("Compiler", "dnnl").attrs["Compiler"]
    'dnnl'
    """

    __slots__ = ()
    params: Sequence[Var]
    body: RelayExpr
    ret_type: Type | None
    type_params: Sequence[TypeVar]

    def __init__(self, params: Sequence[Var], body: RelayExpr, ret_type: Type | None = None,
                 type_params: Sequence[TypeVar] | None = None, attrs: Any = None, span: Span | None = None) -> None:
        if attrs is not None and not isinstance(attrs, DictAttrs):
            attrs = DictAttrs(as_dict("attrs", attrs))
        params = sequence(params)
        if not hasattr(params, "__len__") or not all(isinstance(param, Var) for param in params):
            raise TypeError("the parameters of a function are a list of variables (relay.var)")
        self._init(params, body, ret_type, sequence(type_params))
        if attrs is not None and len(attrs):
            self._set("attrs", attrs)
        if span is not None:
            self._set("span", span)

    def __call__(self, *args: Any) -> Call:
        return Call(self, list(args))

    def _with_attrs(self, attrs: Any) -> Any:
        values = {key: value for key, value in _core.fields(self)}
        values["attrs"] = attrs
        return _core.new_node("relay.Function", values)
