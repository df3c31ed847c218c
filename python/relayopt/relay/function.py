"""Functions of Relay."""

from .. import _core
from .._ffi import register_object
from ..ir.attrs import DictAttrs
from ..ir.function import BaseFunc
from .expr import Call, _sequence


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

    def __init__(self, params, body, ret_type=None, type_params=None, attrs=None, span=None):
        if attrs is not None and not isinstance(attrs, DictAttrs):
            attrs = DictAttrs(dict(attrs.items()))
        self._init(_sequence(params), body, ret_type, _sequence(type_params))
        if attrs is not None and len(attrs):
            self._set("attrs", attrs)
        if span is not None:
            self._set("span", span)

    def __call__(self, *args):
        return Call(self, list(args))

    def _with_attrs(self, attrs):
        values = {key: value for key, value in _core.fields(self)}
        values["attrs"] = attrs
        return _core.new_node("relay.Function", values)
