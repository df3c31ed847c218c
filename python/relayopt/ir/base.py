"""Nodes, spans, structural equality, JSON."""

from .. import _core
from .._ffi import Object, register_object

Node = Object


@register_object("SourceName")
class SourceName(Object):
    """The name of a source."""

    __slots__ = ()
    _known = {}

    def __new__(cls, name):
        if name not in cls._known:
            made = super().__new__(cls)
            made._init(name)
            cls._known[name] = made
        return cls._known[name]

    def __init__(self, name):
        pass

    def __reduce__(self):
        return (SourceName, (self.name,))


@register_object("Span")
class Span(Object):
    """A place in a source."""

    __slots__ = ()

    def __init__(self, source_name, line, end_line, column, end_column):
        if isinstance(source_name, str):
            source_name = SourceName(source_name)
        self._init(source_name, line, column, end_line, end_column)

    def __repr__(self):
        return (
            f"Span({self.source_name and self.source_name.name}, {self.line}, {self.end_line}, {self.column}, "
            f"{self.end_column})"
        )


@register_object("SequentialSpan")
class SequentialSpan(Object):
    """Several places."""

    __slots__ = ()

    def __init__(self, spans):
        self._init(list(spans))


@register_object("EnvFunc")
class EnvFunc(Object):
    """A global function by its name."""

    __slots__ = ()

    def __init__(self, name):
        self._init(name)

    @staticmethod
    def get(name):
        """The function of a name: a registered one, or the type relation of an operator."""
        from ..runtime.packed_func import get_global_func

        if not name.startswith("tvm.relay.type_relation.") and get_global_func(name, allow_missing=True) is None:
            raise ValueError(f"Cannot find global function '{name}'")
        return EnvFunc(name)

    @property
    def func(self):
        from ..runtime.packed_func import get_global_func

        return get_global_func(self.name)

    def __call__(self, *args):
        return self.func(*args)


def structural_equal(lhs, rhs, map_free_vars=False):
    """Whether two objects are equal up to the names of bound variables.

    >>> f = lambda x: relay.Function([x], relay.tanh(x))
    >>> relayopt.ir.structural_equal(f(relay.var("a")), f(relay.var("b")))
    True
    >>> relayopt.ir.structural_equal(relay.var("a"), relay.var("a"))
    False
    """
    return _core.structural_equal(_convert(lhs), _convert(rhs), map_free_vars, False)


def get_first_structural_mismatch(lhs, rhs, map_free_vars=False):
    """None, or the paths on both sides to where two objects differ first.

    >>> relayopt.ir.get_first_structural_mismatch(relay.TensorType((2, 3)), relay.TensorType((2, 4)))
    (<root>.shape[1].value, <root>.shape[1].value)
    """
    from ..runtime.object_path import from_steps

    result = _core.structural_equal(_convert(lhs), _convert(rhs), map_free_vars, True)
    return None if result is True else (from_steps(result[0]), from_steps(result[1]))


def assert_structural_equal(lhs, rhs, map_free_vars=False):
    """Raises a ValueError that shows both sides and where they differ, unless they are equal.

    >>> relayopt.ir.assert_structural_equal(relay.TensorType((2, 3)), relay.TensorType((2, 4)))
    Traceback (most recent call last):
        ...
    ValueError: StructuralEqual check failed, caused by lhs at <root>.shape[1].value:
    Tensor[(2, 3), float32]
    and rhs at <root>.shape[1].value:
    Tensor[(2, 4), float32]
    """
    if structural_equal(lhs, rhs, map_free_vars):
        return
    paths = get_first_structural_mismatch(lhs, rhs, map_free_vars) or ("<root>", "<root>")
    raise ValueError(
        f"StructuralEqual check failed, caused by lhs at {paths[0]}:\n{lhs}\nand rhs at {paths[1]}:\n{rhs}"
    )


def structural_hash(node, map_free_vars=False):
    """A number that equal objects share, on every platform.

    >>> f = lambda x: relay.Function([x], relay.tanh(x))
    >>> relayopt.ir.structural_hash(f(relay.var("a"))) == relayopt.ir.structural_hash(f(relay.var("b")))
    True
    """
    return _core.structural_hash(_convert(node), map_free_vars)


def _convert(value):
    from ..runtime.convert import convert

    return convert(value)


def save_json(node):
    """An object as the reference's graph JSON.

    >>> x = relay.var("x", shape=(2,))
    >>> text = relayopt.ir.save_json(relay.tanh(x))
    >>> relayopt.ir.load_json(text)
    <Call tanh(%x)>
    """
    from .json import save

    return save(node)


def load_json(json_str):
    """The object of a graph JSON.

    >>> mod = relayopt.IRModule.from_expr(relay.var("x", shape=(2,)))
    >>> relayopt.ir.structural_equal(relayopt.ir.load_json(relayopt.ir.save_json(mod)), mod)
    True
    """
    from .json import load

    return load(json_str)


def __getattr__(name):
    if name == "_ffi_api":
        from . import _ffi_api

        return _ffi_api
    raise AttributeError(name)
