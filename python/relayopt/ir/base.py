"""Nodes, spans, structural equality, JSON."""

from __future__ import annotations


from .. import _core
from .._arguments import as_text
from .._ffi import Object, provided, register_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..runtime.object_path import ObjectPath

Node = Object
# Graph JSON of this version needs no upgrade.
_VERSION = "0.15."


def _reduce(self: Object) -> tuple[Callable[[str], Any], tuple[str]]:
    return (load_json, (save_json(self),))


def _deepcopy(self: Object, memo: object) -> Any:
    return load_json(save_json(self))


def _copy(self: Object) -> Object:
    return self


# The class is the core's: what Python asks of objects is put into it.
for _method in (("__reduce__", _reduce), ("__deepcopy__", _deepcopy), ("__copy__", _copy)):
    setattr(Object, *_method)


@register_object("SourceName")
class SourceName(Object):
    """The name of a source."""

    __slots__ = ()
    _known: dict[Any, Any] = {}

    def __new__(cls, name: str) -> Any:
        if name not in cls._known:
            made = super().__new__(cls)
            made._init(name)
            cls._known[name] = made
        return cls._known[name]

    def __init__(self, name: str) -> None:
        pass

    # There is one for each name; those that spans of the core have are made anew.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceName) and bool(self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Any:
        return (SourceName, (self.name,))


class Source:
    """A text that modules are read from, with its name."""

    def __init__(self, source_name: SourceName, source: str) -> None:
        self.source_name, self.source = source_name, source


class SourceMap:
    """The texts that a module was read from, by their names: `source_map`."""

    def __init__(self, source_map: Mapping[SourceName, Source] | None = None) -> None:
        self.source_map = dict(source_map or {})

    def add(self, name: str, content: str) -> SourceName:
        """Adds a text, in the place of one with the same name."""
        key: SourceName = SourceName(name)
        self.source_map[key] = Source(key, content)
        return key


@register_object("Span")
class Span(Object):
    """A place in a source."""

    __slots__ = ()
    source_name: SourceName
    line: int
    column: int
    end_line: int
    end_column: int

    def __init__(self, source_name: Any, line: int, end_line: int, column: int, end_column: int) -> None:
        if isinstance(source_name, str):
            source_name = SourceName(source_name)
        self._init(source_name, line, column, end_line, end_column)

    def __repr__(self) -> str:
        return (
            f"Span({self.source_name and self.source_name.name}, {self.line}, {self.end_line}, {self.column}, "
            f"{self.end_column})"
        )


@register_object("SequentialSpan")
class SequentialSpan(Object):
    """Several places."""

    __slots__ = ()
    spans: Sequence[Span]

    def __init__(self, spans: Any) -> None:
        self._init(list(spans))


@register_object("EnvFunc")
class EnvFunc(Object):
    """A global function by its name."""

    __slots__ = ()
    name: str

    def __init__(self, name: str) -> None:
        self._init(name)

    @staticmethod
    def get(name: str) -> EnvFunc:
        """The function of a name: a registered one, or the type relation of an operator."""
        from ..runtime.packed_func import get_global_func

        if not name.startswith("tvm.relay.type_relation.") and get_global_func(name, allow_missing=True) is None:
            raise ValueError(f"Cannot find global function '{name}'")
        return EnvFunc(name)

    @property
    def func(self) -> Any:
        from ..runtime.packed_func import get_global_func

        return get_global_func(self.name)

    def __call__(self, *args: int) -> Any:
        return self.func(*args)


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two objects are equal up to the names of bound variables.

    >>> f = lambda x: relay.Function([x], relay.tanh(x))
    >>> relayopt.ir.structural_equal(f(relay.var("a")), f(relay.var("b")))
    True
    >>> relayopt.ir.structural_equal(relay.var("a"), relay.var("a"))
    False
    """
    result: bool = _core.structural_equal(_convert(lhs), _convert(rhs), bool(map_free_vars), False)
    return result


def get_first_structural_mismatch(lhs: Any, rhs: Any,
                                  map_free_vars: bool = False) -> tuple[ObjectPath, ObjectPath] | None:
    """None, or the paths on both sides to where two objects differ first.

    >>> relayopt.ir.get_first_structural_mismatch(relay.TensorType((2, 3)), relay.TensorType((2, 4)))
    (<root>.shape[1].value, <root>.shape[1].value)
    """
    from ..runtime.object_path import from_steps

    result = _core.structural_equal(_convert(lhs), _convert(rhs), map_free_vars, True)
    return None if result is True else (from_steps(result[0]), from_steps(result[1]))


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
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


def structural_hash(node: Any, map_free_vars: bool = False) -> int:
    """A number that equal objects share, on every platform.

    >>> f = lambda x: relay.Function([x], relay.tanh(x))
    >>> relayopt.ir.structural_hash(f(relay.var("a"))) == relayopt.ir.structural_hash(f(relay.var("b")))
    True
    """
    return _core.structural_hash(_convert(node), bool(map_free_vars))


def _convert(value: Any) -> Any:
    from ..runtime.convert import convert

    return convert(value)


def save_json(node: Any) -> str:
    """An object as TVM's graph JSON.

    >>> x = relay.var("x", shape=(2,))
    >>> text = relayopt.ir.save_json(relay.tanh(x))
    >>> relayopt.ir.load_json(text)
    <Call tanh(%x)>
    """
    return _core.save_json(_convert(node))


def load_json(json_str: str) -> Any:
    """The object of a graph JSON.

    >>> mod = relayopt.IRModule.from_expr(relay.var("x", shape=(2,)))
    >>> relayopt.ir.structural_equal(relayopt.ir.load_json(relayopt.ir.save_json(mod)), mod)
    True
    """
    as_text("json_str", json_str)
    import re

    version = re.search(r'"tvm_version"\s*:\s*"([^"]*)"', json_str)
    if version is not None and not version[1].startswith(_VERSION):
        json_str = provided("upgrade_json")(json_str)
    loaded = _core.load_json(json_str)
    return provided("string_object")(loaded) if type(loaded) is str else loaded


def __getattr__(name: str) -> Any:
    if name == "_ffi_api":
        return provided("ir._ffi_api")
    raise AttributeError(name)
