"""Functions that make calls of operators, from the core's table.

A builder takes the operator's inputs, then its attributes, in the order of the attribute class and with its defaults. What
TVM's function does besides - names, order and defaults of its own, an integer for a pair, paddings of two or one
numbers - is a row of `builder_table`, or follows from the name of the attribute (`_converter`).
"""

from __future__ import annotations

import numbers

from ... import _core
from ...ir.op import op_table
from ..expr import Call, Constant, RelayExpr, Tuple, TupleWrapper, const
from .examples import documentation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_ops: dict[Any, Any] = {}
_attrs_rows = None


def _get_op(name: str) -> Any:
    found = _ops.get(name)
    if found is None:
        found = _ops[name] = _core.get_op(name)
    return found


def attrs_rows() -> dict[str, list[Any]]:
    """Attribute classes: key -> [(field, kind, required, doc)]."""
    global _attrs_rows
    if _attrs_rows is None:
        _attrs_rows = _core.attrs_table()
    return _attrs_rows


_defaults: dict[Any, Any] = {}


def _default_fields(key: str) -> dict[str, Any]:
    found = _defaults.get(key)
    if found is None:
        found = _defaults[key] = dict(_core.fields(_core.default_attrs(key)))
    return found


def expr(value: Any) -> RelayExpr | None:
    """An expression, from an expression or a TupleWrapper."""
    if isinstance(value, RelayExpr):
        return value
    if isinstance(value, TupleWrapper):
        return value.tuple_value
    return None


def call(name: str, args: Sequence[Any], attrs: Any = None) -> Call:
    """A call of an operator; attributes that are not given have their defaults."""
    row = op_table()[name]
    checked = []
    for i, arg in enumerate(args):
        if not isinstance(arg, RelayExpr):
            given = arg
            arg = expr(arg)
            if arg is None:
                inputs = row["inputs"]
                what = inputs[i] if i < len(inputs) else f"argument {i}"
                hint = " (use relay.const)" if isinstance(given, numbers.Number) else ""
                raise TypeError(f"{name}: {what} must be a Relay expression, not {type(given).__name__}{hint}")
        checked.append(arg)
    key = row["attrs"]
    node = None
    if key is not None:
        values = _default_fields(key)
        if attrs:
            values = dict(values)
            values.update(attrs)
        node = _core.new_node(key, values)
    return Call(_get_op(name), checked, node)


def make(name: str, /, *args: Any, **attrs: Any) -> Call:
    """A call of any operator of the table by its name.

    >>> relay.op.make("nn.softmax", relay.var("x"), axis=1).attrs.axis
    1
    >>> relay.op.make("nn.softmax", relay.var("x"), axes=1)
    Traceback (most recent call last):
        ...
    TypeError: nn.softmax has no attribute axes; it has axis
    """
    row = op_table().get(name)
    if row is None:
        raise ValueError(f"there is no operator {name}")
    known = [field for field, *_ in attrs_rows().get(row["attrs"], [])]
    for key in attrs:
        if key not in known:
            raise TypeError(f"{name} has no attribute {key}; it has {', '.join(known) or 'none'}")
    return call(name, args, attrs)


# Converters of attribute values.


def _integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) or type(value).__name__ == "IntImm"


def _listed(value: Any) -> Any:
    """What has elements that are numbers."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise TypeError(f"a number or a list of numbers is expected, not {value!r}")
    return value


def repeated(count: int) -> Callable[..., Any]:
    """An integer stands for `count` of it."""

    def convert(value: Any) -> Any:
        if value is None or type(value) is tuple:
            return value
        if _integer(value):
            return (value,) * count
        return tuple(_listed(value))

    return convert


def pair(value: Any) -> Any:
    return repeated(2)(value)


def _pads(count: int) -> Callable[..., Any]:
    def convert(value: Any) -> Any:
        if type(value) is tuple:
            # Almost always: numbers, and what is before an axis is behind it as well.
            if len(value) == 2 * count:
                return value
            if len(value) == count and all(type(v) is int for v in value):
                return value + value
        elif _integer(value):
            value = (value,) * count
        value = tuple(_listed(value))
        if len(value) == 2 * count:
            return value
        if len(value) == 1 and count > 1:
            value = value * count
        if len(value) != count:
            raise ValueError(f"Size of padding can only be {count} or {2 * count}")
        # The odd one goes to the front.
        total = [v * 2 for v in value]
        front = [(t + 1) // 2 if isinstance(t, int) else v for t, v in zip(total, value)]
        return tuple(front) + tuple(t - f for t, f in zip(total, front))

    return convert


pad1d, pad2d, pad3d = _pads(1), _pads(2), _pads(3)


def axes(value: Any) -> list[int] | None:
    """None, or a list of axes."""
    if value is None:
        return None
    return [value] if _integer(value) else list(_listed(value))


def dtype_text(value: Any) -> str:
    return "" if value is None else str(value)


def text(value: Any) -> str:
    return "" if value is None else value


_SPATIAL = {"strides", "dilation", "dilations", "pool_size", "kernel_size", "output_padding", "crop_size", "pooled_size"}
_PADDED = ("conv1d", "conv2d", "conv3d", "_pool1d", "_pool2d", "_pool3d", "dilation2d", "winograd")


def _rank(name: str) -> int:
    found = [rank for rank in (1, 2, 3) if f"{rank}d" in name]
    return found[0] if found else 2 if "pool" in name else 0


def _converter(op: str, field: str, kind: str) -> Callable[..., Any] | None:
    rank = _rank(op)
    if field == "output_size" and rank:
        return lambda value: repeated(rank)(value) or ()
    if field in _SPATIAL and rank and kind == "dims":
        return repeated(rank)
    if field == "padding" and rank and kind == "dims" and any(part in op for part in _PADDED) and not op.endswith("_grad"):
        return (pad1d, pad2d, pad3d)[rank - 1]
    if kind == "dtype":
        return dtype_text
    if kind == "str":
        return text
    if field == "axis" and kind == "dims":
        return axes
    if kind in ("dims", "dim_lists"):
        return lambda value: list(value) if isinstance(value, tuple) else value
    return None


def _sequence_for(name: str) -> Callable[[Any], RelayExpr]:
    def sequence(value: Any) -> RelayExpr:
        found = as_tuple(value, f"{name}: data")
        if isinstance(found, Tuple) and not len(found.fields):
            raise ValueError(f"relay.{name} requires data to be non-empty.")
        return found

    return sequence


def _constant_of(dtype: str) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        return value if expr(value) is not None else const(value, dtype)

    return convert


def _misfit(op: str, converted: tuple[tuple[str, Callable[..., Any], Any], ...]) -> None:
    """TypeError that names the attribute whose value cannot be converted."""
    for field, convert, value in converted:
        try:
            convert(value)
        except TypeError as error:
            raise TypeError(f"{op}: {field}: {error}") from None


def _split_list(text: str) -> list[str]:
    """The elements of a list as text: what stands between commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    if text[start:].strip():
        parts.append(text[start:].strip())
    return parts


def builder(op: str, head: Any = None, signature: str | None = None, result: int | None = None) -> Any:
    """The function that makes calls of an operator; `head` is its name in `relay`, with the namespace.

    `signature` is `inputs; attributes`, with defaults as Python text and `parameter>field` where the names differ; without
    one it is the table's. Inputs marked `*` are sequences of expressions that become a tuple; for `input:dtype`, numbers
    become constants of this type. `result` is the size of the
    TupleWrapper that is returned.
    """
    row = op_table()[op]
    head = head or op
    name = head.rsplit(".", 1)[-1]
    rows = attrs_rows().get(row["attrs"], [])
    kinds = {field: kind for field, kind, _, _ in rows}
    params, inputs, fields = [], [], []
    env = {"_make": _core.make_call, "_op": _get_op(op), "_refuse": call, "_misfit": _misfit, "_tuple": _sequence_for(head), "_Wrapper": TupleWrapper}
    if signature is None:
        required = {field for field, _, needed, _ in rows if needed}
        defaults = _default_fields(row["attrs"]) if row["attrs"] else {}
        inputs = [(param, False) for param in row["inputs"]]
        params = [param for param, _ in inputs]
        optional = False
        for field in kinds:
            if field in required and not optional:
                params.append(field)
            else:
                optional = True
                env[f"_d_{field}"] = _plain(defaults.get(field))
                params.append(f"{field}=_d_{field}")
            fields.append((field, field))
    else:
        given, _, tail = signature.partition(";")
        for part in _split_list(given):
            star = part.startswith("*")
            param, _, dtype = part.lstrip("*").partition(":")
            inputs.append((param, star))
            params.append(param)
            if dtype:
                env[f"_c_{param}"] = _constant_of(dtype)
        for part in _split_list(tail):
            param, _, default = part.partition("=")
            param, _, field = param.partition(">")
            params.append(param + ("=" + default if default else ""))
            fields.append((param, field or param))
    args = ", ".join(f"_tuple({param})" if star else f"_c_{param}({param})" if f"_c_{param}" in env else param
                     for param, star in inputs)
    # The values of all attributes in the order of the class: what the builder does not take has its default.
    by_field = {field: param for param, field in fields}
    pieces: list[str] = []
    for field, default in (_default_fields(row["attrs"]) if row["attrs"] else {}).items():
        taken = by_field.get(field)
        if taken is None:
            env[f"_k_{field}"] = default
            pieces.append(f"_k_{field}")
            continue
        convert = _converter(op, field, kinds[field])
        env[f"_c_{field}"] = convert
        pieces.append(taken if convert is None else f"_c_{field}({taken})")
    env["_like"] = _core.default_attrs(row["attrs"]) if row["attrs"] else None
    values = "(" + "".join(piece + ", " for piece in pieces) + ")"
    converted = "".join(f"({field!r}, _c_{field}, {param}), " for param, field in fields if env.get(f"_c_{field}"))
    lines = [f"def {name}({', '.join(params)}):",
             f"    inputs = ({args}{',' if inputs else ''})",
             "    try:",
             f"        values = {values}",
             "    except TypeError:",
             f"        _misfit({op!r}, ({converted}))",
             "        raise",
             "    made = _make(_op, inputs, _like, values)",
             "    if made is None:",
             f"        _refuse({op!r}, inputs)",
             "    return made" if result is None else f"    return _Wrapper(made, {result})"]
    source = "\n".join(lines) + "\n"
    exec(compile(source, f"<builder of {op}>", "exec"), env)  # The text is made of the table's own names.
    function: Any = env[name]
    meanings = {field: meaning for field, _, _, meaning in rows}
    function.__doc__ = documentation(head, op, row["doc"], [(param, meanings[field]) for param, field in fields])
    function.__module__ = "relayopt.relay.op"
    function.__qualname__ = name
    # For make_stubs.py: the inputs, which are expressions, and the result.
    function._stub = tuple(param for param, star in inputs if not star), "_Call" if result is None else "_TupleWrapper"
    return function


def _plain(value: Any) -> Any:
    """A default as Python shows it."""
    from ...runtime.container import Array
    from ...tir.expr import FloatImm, IntImm

    if isinstance(value, Array):
        return tuple(_plain(item) for item in value)
    if isinstance(value, (IntImm, FloatImm)):
        return value.value
    return value


def as_tuple(value: Any, what: str) -> RelayExpr:
    """One expression of a sequence of them. What a builder with several results gave is a sequence: its fields."""
    found = None if isinstance(value, TupleWrapper) else expr(value)
    if found is not None:
        return found
    is_sequence = isinstance(value, TupleWrapper) or hasattr(value, "__iter__")
    fields: list[Any] = [expr(item) for item in value] if is_sequence else [None]
    if None in fields:
        raise TypeError(f"{what} must be a Relay expression or a list of them, not {value!r}")
    return Tuple(fields)


def numbers_of(value: Any, what: str) -> Any:
    """A constant, list or Array as a list of int; None when it is another expression. `what` names it in errors."""
    if isinstance(value, Constant):
        array = value.data.numpy()
        return [int(v) for v in array.reshape(-1)] if array.dtype.kind in "iub" else [float(v) for v in array.reshape(-1)]
    if isinstance(value, RelayExpr):
        return None
    if _integer(value):
        return [value]
    try:
        return list(_listed(value))
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from None
