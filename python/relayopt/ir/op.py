"""Operators, and what is registered about them at run time."""

from __future__ import annotations

import atexit

from .. import _core
from .._arguments import as_text
from .._ffi import class_of, register_object
from .expr import RelayExpr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .base import Span

# op name -> attribute -> (value, level)
_attributes: dict[Any, Any] = {}
# Operators registered at run time: name -> record.
_registered: dict[Any, Any] = {}
_table = None


def op_table() -> dict[str, dict[str, Any]]:
    """The core's operators by name."""
    global _table
    if _table is None:
        _table = _core.op_table()
    return _table


class OpArgument:
    """The description of one argument."""

    def __init__(self, name: str, type_info: str = "", description: str = "") -> None:
        self.name, self.type_info, self.description = name, type_info, description


@register_object("Op")
class Op(RelayExpr):
    """An operator; one object in the process.

    >>> op = relay.op.get("nn.dense")
    >>> [argument.name for argument in op.arguments]
    ['data', 'weight']
    """

    __slots__ = ()
    name: str

    def __init__(self) -> None:
        raise RuntimeError("Cannot create op, use get instead")

    def astype(self, dtype: Any, span: Span | None = None) -> Any:
        raise TypeError("Cannot perform astype on Op")

    @staticmethod
    def get(op_name: str) -> Op:
        """The operator of this name; AttributeError when there is none."""
        as_text("op_name", op_name, "the name of an operator")
        if op_name not in op_table() and op_name not in _registered:
            import difflib

            near = difflib.get_close_matches(str(op_name), Op.list_op_names(), 1)
            hint = f" (did you mean '{near[0]}'?)" if near else ""
            raise _OpMissing(f"AttributeError: Operator {op_name} is not registered{hint}")
        return _core.get_op(op_name)

    @staticmethod
    def list_op_names() -> Any:
        return sorted(set(op_table()) | set(_registered))

    def _row(self) -> dict[str, Any] | None:
        return op_table().get(self.name)

    def _record(self) -> Any:
        return _registered.get(self.name, {})

    @property
    def description(self) -> Any:
        row = self._row()
        return row["doc"] if row else self._record().get("description", "")

    @property
    def num_inputs(self) -> int:
        row = self._row()
        return len(row["inputs"]) if row else self._record().get("num_inputs", 0)

    @property
    def arguments(self) -> list[OpArgument]:
        row = self._row()
        return [OpArgument(name) for name in row["inputs"]] if row else self._record().get("arguments", [])

    @property
    def attrs_type_key(self) -> Any:
        row = self._row()
        return (row["attrs"] or "") if row else self._record().get("attrs_type_key", "")

    @property
    def support_level(self) -> Any:
        from .op_levels import LEVELS

        return self._record().get("support_level", LEVELS.get(self.name, 10))

    def get_attr(self, attr_name: str) -> Any:
        """What is registered under this name: at run time, else by the operator's row; None when nothing is."""
        found = _attributes.get(self.name, {}).get(attr_name)
        if found is not None:
            return found[0]
        row = self._row()
        if row is None:
            return None
        if attr_name == "TOpPattern":
            return None if row["fusion"] == 255 else row["fusion"]
        if attr_name == "TOpIsStateful":
            return row["stateful"]
        if attr_name == "TNonComputational":
            return row["non_computational"] or None
        return None

    def has_attr(self, attr_name: str) -> bool:
        return self.get_attr(attr_name) is not None

    def set_attr(self, attr_name: str, value: Any, plevel: int = 10) -> None:
        """Registers something; a higher level replaces a lower one, and the same level twice is an error."""
        from ..error import TVMError

        table = _attributes.setdefault(self.name, {})
        if attr_name in table:
            known = table[attr_name][1]
            if known == plevel:
                raise TVMError(
                    f"Attribute {attr_name} of {self.name} is already registered with same plevel={plevel}"
                )
            if known > plevel:
                return
        table[attr_name] = (value, plevel)

    def reset_attr(self, attr_name: str) -> None:
        """Forgets what was registered at run time."""
        _attributes.get(self.name, {}).pop(attr_name, None)

    def add_type_rel(self, rel_name: str, type_rel_func: Callable[..., Any] | None = None) -> None:
        """Sets the type rule of an operator that was registered at run time.

        `type_rel_func(arg_types, attrs)` gives the type of the result, or None where it cannot tell; it is asked when all
        types of arguments are known. Without it the rule is a relation by name: "Identity", "Broadcast", "BroadcastComp".
        What is registered about the operator is read when a program that calls it is first used.
        """
        if self.name in op_table():
            raise ValueError(f"{self.name} is an operator of the core and has its type rule")
        if type_rel_func is None:
            operator_of_relation(rel_name)
        self._record()["relation"] = (rel_name, type_rel_func)

    def add_argument(self, name: str, type: str, description: str) -> None:
        self._record().setdefault("arguments", []).append(OpArgument(name, type, description))

    def set_support_level(self, level: int) -> None:
        self._record()["support_level"] = level

    def set_num_inputs(self, n: int) -> None:
        self._record()["num_inputs"] = n

    def set_attrs_type_key(self, key: Any) -> None:
        self._record()["attrs_type_key"] = key

    def __call__(self, *args: Any) -> Any:
        return class_of("relay.Call")(self, list(args))

    def __repr__(self) -> str:
        return f"Op({self.name})"

    def __str__(self) -> str:
        return self.name

    def astext(self, show_meta_data: bool = True, annotate: Any = None) -> Any:
        return self.name

    def __reduce__(self) -> Any:
        return (Op.get, (self.name,))


class _OpMissing(AttributeError):
    """An operator that does not exist; also a TVMError for those who look for one."""


# An operator for each relation between types that has a name of its own.
_RELATIONS = {"Identity": "negative", "Broadcast": "add", "BroadcastComp": "less", "IdentityCompRel": "isnan",
              "LayoutTransform": "layout_transform", "Concatenate": "concatenate", "Cast": "cast", "Dense": "nn.dense",
              "Reshape": "reshape", "Transpose": "transpose", "BatchNorm": "nn.batch_norm", "BiasAdd": "nn.bias_add"}


def operator_of_relation(name: str) -> str:
    """The operator whose type rule a relation is; ValueError for a relation that no operator stands for."""
    if name not in _RELATIONS:
        raise ValueError(f"unknown type relation {name}; those with a name are {', '.join(sorted(_RELATIONS))}")
    return _RELATIONS[name]


def _give_to_core(name: str) -> None:
    """Makes the core know an operator that was registered at run time with a type rule."""
    record = _registered.get(name, {})
    if "relation" not in record:
        return
    relation, function = record["relation"]
    names = [argument.name for argument in record.get("arguments", ())]
    names += [f"arg{i}" for i in range(len(names), record.get("num_inputs", len(names)))]
    attributes = {key: value for key, (value, _) in _attributes.get(name, {}).items()}
    _core.register_op(name, ", ".join(names), "" if function else operator_of_relation(relation), function,
                      int(attributes.get("TOpPattern", 8)), bool(attributes.get("TOpIsStateful", False)))


_core.set_op_source(_give_to_core)


@atexit.register
def _forget() -> None:
    """Lets go of the functions of others, while there is an interpreter to do that in."""
    _registered.clear()
    _attributes.clear()
    _core.release_op_functions()


def register(op_name: str, describe: str = "") -> Op:
    """Makes an operator of a new name known."""
    from ..error import TVMError

    if as_text("op_name", op_name, "the name of an operator") in op_table() or op_name in _registered:
        raise TVMError(f"Operator {op_name} is registered before")
    _registered[op_name] = {"description": describe}
    return _core.get_op(op_name)


def run_time_attributes(attr_name: str) -> dict[str, Callable[..., Any]]:
    """What was registered at run time under a name: {operator: value}."""
    return {op: table[attr_name][0] for op, table in _attributes.items() if attr_name in table}


def register_op_attr(op_name: str, attr_key: str, value: Any = None, level: int = 10) -> Any:
    """Registers an attribute of an operator; a decorator without a value.

    >>> from relayopt.ir import register_op_attr
    >>> @register_op_attr("tanh", "target.mycompiler")
    ... def tanh_is_supported(expr):
    ...     return expr.args[0].checked_type.dtype == "float32"
    >>> relay.op.get("tanh").get_attr("target.mycompiler") is not None
    True
    >>> relay.op.get("tanh").reset_attr("target.mycompiler")
    """

    def register_value(v: Any) -> Any:
        if as_text("op_name", op_name, "the name of an operator") not in op_table() and op_name not in _registered:
            _registered[op_name] = {}
        _core.get_op(op_name).set_attr(attr_key, v, level)
        return v

    return register_value(value) if value is not None else register_value


def register_intrin_lowering(op_name: Any, target: Any, f: Any = None, level: int = 10) -> Any:
    """Lowering of intrinsics is registered and never asked for: relayopt generates no code."""
    return f if f is not None else (lambda function: function)
