"""Running programs by evaluation."""

from __future__ import annotations

import numbers

from ...ir.transform import make_pass
from ... import _core
from ..._ffi import Object, provide, register_object
from ...ir.expr import GlobalVar
from ...ir.module import expect_module, IRModule
from ...ir.tensor_type import TensorType
from ..._arguments import as_dict, as_text, expect
from ...runtime.container import ADT, shown
from ...runtime.device import Device, cpu
from ...runtime.ndarray import NDArray, array, as_numpy
from ...target import Target
from ..adt import Constructor
from ..expr import Constant, RelayExpr, Tuple, Var, const
from ..function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    import numpy as np

    from ...ir.type import Type
    from ...runtime.profiling import Profile


@register_object("relay.ConstructorValue")
class ConstructorValue(Object):
    """Algebraic data: `tag`, `fields` and `constructor`."""

    tag: int
    fields: Sequence[Any]

    constructor: Constructor

    def __init__(self, tag: int, fields: Sequence[Any], constructor: Constructor) -> None:
        self._init(tag, list(fields), constructor)

    def __repr__(self) -> str:
        return shown(self)


@register_object("relay.RefValue")
class RefValue(Object):
    """A reference: `value` is its content."""


    value: Any

    def __init__(self, value: Any) -> None:
        self._init(value)


class InterpreterClosure:
    """A function that a program has computed.

    >>> x, y = relay.var("x", "int32"), relay.var("y", "int32")
    >>> add = relay.create_executor("debug").evaluate(relay.Function([x], relay.Function([y], x + y)))
    >>> add(1)(2).numpy()
    array(3, dtype=int32)
    """

    type_key = "relay.InterpreterClosure"

    def __init__(self, program: Program, closure: Any, dtypes: Sequence[str]) -> None:
        self._program, self._closure, self._dtypes = program, closure, list(dtypes)

    def __call__(self, *args: Any) -> Any:
        if len(args) != len(self._dtypes):
            raise Exception(f"expected {len(self._dtypes)} arguments, but {len(args)} were provided")
        return self._program.apply(self._closure, args, self._dtypes)


class Program:
    """A module ready to run. `nested` says how values of several parts come back: tuples as ADT or, with "list", as lists;
    algebraic data as ConstructorValue or, with "vm", as ADT."""

    def __init__(self, mod: IRModule, nested: str = "adt") -> None:
        self.mod = mod
        self._core = _core.make_program(mod)
        self._nested = nested

    def names(self) -> Any:
        return _core.module_function_names(self.mod)

    def arguments(self, name: str, args: Any, kwargs: Mapping[Any, Any]) -> list[NDArray]:
        """The values of a function's parameters, from positions and names."""
        function = self.mod[name]
        if kwargs:
            names = [p.name_hint for p in function.params]
            values = list(args) + [None] * (len(names) - len(args))
            for key, value in kwargs.items():
                if key not in names:
                    raise ValueError(f"the function {name} has no parameter {key}")
                values[names.index(key)] = value
            args = values
        named: list[Any] = [(p.name_hint, _type_of(p)) for p in function.params]
        # The core says which arguments are missing or left over.
        named += [(None, None)] * (len(args) - len(named))
        return [named_argument(param, arg, typ, self.mod) for arg, (param, typ) in zip(args, named)]

    def check_input(self, name: str, index: int, value: Any) -> None:
        """Raises ArgumentError if a value does not fit the parameter of this number."""
        self._core.check_input(name, index, value)

    def run(self, name: str, values: Sequence[NDArray]) -> Any:
        result = self._core.run(name, values)
        return self._from(result)

    def apply(self, closure: Any, args: Sequence[Any], dtypes: Sequence[str]) -> Any:
        """The result of a function that the program has computed."""
        types = [TensorType((), dtype) if dtype else None for dtype in dtypes]
        values = [to_argument(arg, typ, self.mod) for arg, typ in zip(args, types)]
        return self._from(self._core.apply(closure, values))

    def profile(self, name: str, values: Sequence[NDArray]) -> Profile:
        """Runs a function and tells where the time went."""
        from ...runtime.profiling import OperatorTime, Profile

        seconds, operators = self._core.profile(name, values)
        return Profile(seconds, tuple(OperatorTime(*row) for row in operators))

    def _from(self, root: Any) -> Any:
        """Values of Python, from a stack: lists of programs are long."""
        out: list[Any] = []
        work = [("visit", root)]
        while work:
            kind, item = work.pop()
            if kind == "visit":
                if isinstance(item, NDArray):
                    out.append(item)
                    continue
                tag = item[0]
                if tag in ("tuple", "ref"):
                    work.append(("make", item))
                    work.extend(("visit", field) for field in reversed(item[1]))
                elif tag == "data":
                    work.append(("make", item))
                    work.extend(("visit", field) for field in reversed(item[2]))
                elif tag == "constructor":
                    out.append(item[1])
                elif tag == "closure":
                    out.append(InterpreterClosure(self, item[1], item[2]))
                else:
                    raise NotImplementedError("an operator that a program computes is no value of Python")
                continue
            count = len(item[1]) if item[0] != "data" else len(item[2])
            fields = out[len(out) - count :]
            del out[len(out) - count :]
            if item[0] == "tuple":
                out.append(fields if self._nested == "list" else ADT(0, fields))
            elif item[0] == "ref":
                out.append(RefValue(fields[0]))
            elif self._nested == "vm":
                out.append(ADT(item[1].tag, fields))
            else:
                out.append(ConstructorValue(item[1].tag, fields, item[1]))
        return out[0]


def _type_of(param: Var) -> Any:
    return param._checked_type_ if param._checked_type_ is not None else param.type_annotation


def _numpy_of(value: Any, typ: Any) -> np.ndarray[Any, Any]:
    import numpy as np

    dtype = getattr(typ, "dtype", None)
    if isinstance(value, bool):
        return np.array(value, dtype=dtype or "bool")
    if isinstance(value, numbers.Integral):
        return np.array(value, dtype=dtype or "int32")
    if isinstance(value, numbers.Real) and dtype and dtype.startswith(("int", "uint")) and float(value).is_integer():
        return np.array(int(float(value)), dtype=dtype)
    if isinstance(value, numbers.Number):
        # No fraction is cut off: the core says that the types differ.
        return np.array(value, dtype=dtype if dtype and "float" in dtype else "float32")
    return as_numpy(value)


def as_input(value: Any, typ: Type | None, widen: bool = False) -> Any:
    """An array as an input of a graph. As TVM: inputs are buffers of their type, into which arrays are copied. Integers
    become integers, floats become floats, and with `widen` integers become floats, too; other arrays stay what they are.
    """
    import numpy as np

    wanted = getattr(typ, "dtype", None)
    if not isinstance(value, np.ndarray) or not isinstance(wanted, str):
        return value
    same_kind = value.dtype.kind in "iu" and wanted.startswith(("int", "uint")) or (
        value.dtype.kind in ("iuf" if widen else "f") and wanted in ("float16", "float32", "float64"))
    return value.astype(wanted) if same_kind else value


def has_other_dtype(value: Any, typ: Any) -> bool:
    """Whether the value is an array of numbers of another type than the parameter's."""
    import numpy as np

    wanted = getattr(typ, "dtype", None)
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and isinstance(wanted, str) and value.dtype != wanted


def named_arguments(mod: IRModule, inputs: Mapping[str, Any] | Sequence[Any] | None) -> list[tuple[str, Any]]:
    """Arrays for parameters of @main, which are given by name or in order."""
    if inputs is None:
        return []
    given: Any = inputs
    if not hasattr(given, "items"):
        names = [param.name_hint for param in mod["main"].params]
        if isinstance(inputs, (str, bytes)) or not hasattr(inputs, "__len__"):
            raise TypeError(f"inputs are arrays by name or in order, not a {type(inputs).__name__}")
        if len(inputs) > len(names):
            raise ValueError(f"{len(inputs)} inputs are given, and @main has {len(names)} parameters")
        given = dict(zip(names, inputs))
    made = []
    for name, value in given.items():
        made.append((as_text("the name of an input", name), named_argument(name, value)))
    return made


def named_argument(name: Any, value: Any, typ: Type | None = None, mod: IRModule | None = None) -> Any:
    """The same as to_argument, with errors that name the parameter."""
    try:
        return to_argument(value, typ, mod)
    except (TypeError, ValueError) as error:
        raise type(error)(f"parameter %{name}: {error}") from None


def to_argument(value: Any, typ: Type | None = None, mod: IRModule | None = None) -> Any:
    """A value for the core's evaluator. In an ADT, tags are those of constructors of the module."""
    if isinstance(value, NDArray):
        return value
    if isinstance(value, Constant):
        return value.data
    if isinstance(value, InterpreterClosure):
        return value._closure
    if isinstance(value, ADT) and value.tag != 0 and mod is not None:
        ctor = mod.get_constructor(value.tag)
        return {"constructor": ctor.name_hint, "fields": [to_argument(f, None, mod) for f in value.fields]}
    if isinstance(value, (tuple, list, ADT, Tuple)):
        items = list(value.fields) if isinstance(value, Tuple) else list(value)
        fields = getattr(typ, "fields", None)
        types = list(fields) if fields is not None and len(fields) == len(items) else [None] * len(items)
        return tuple(to_argument(item, t, mod) for item, t in zip(items, types))
    if isinstance(value, ConstructorValue):
        return {"constructor": value.constructor.name_hint, "fields": [to_argument(f, None, mod) for f in value.fields]}
    if isinstance(value, RefValue):
        return {"fields": [to_argument(value.value, None, mod)]}
    made = _numpy_of(value, typ)
    if made.dtype == object:
        raise ValueError(f"no value for a program: a {type(value).__name__}")
    return array(made)


class Executor:
    """Runs expressions: see relayopt.relay.create_executor."""

    def __init__(self, mod: IRModule | None = None, device: Device | None = None, target: Any = None,
                 params: Any = None) -> None:
        self.mod = IRModule() if mod is None else mod
        expect_module(self.mod)
        # Evaluation knows neither; what is neither is an error all the same.
        expect("device", cpu() if device is None else device, Device, "a Device")
        self.device, self.target = device, target if target is None else Target.canon_multi_target(target)

    def _convert_args(self, expr: RelayExpr, args: Sequence[Any],
                      kwargs: Mapping[str, np.ndarray[Any, Any]]) -> tuple[Any, ...]:
        if expr is None:
            expr = self.mod["main"]
        function = self.mod[expr] if isinstance(expr, GlobalVar) else expr
        if not kwargs:
            values = list(args)
        else:
            names = [p.name_hint for p in function.params]
            values = list(args)
            given = dict(kwargs)
            for i, name in enumerate(names):
                if i < len(values):
                    if name in given:
                        raise Exception(f"duplicate argument supplied in both positional args (at position: {i}), and "
                                        f"keyword argument (with name: {name})")
                elif name in given:
                    values.append(given.pop(name))
                else:
                    break
        if len(values) != len(function.params):
            raise Exception(f"expected {len(function.params)} arguments, but {len(values)} were provided")
        return tuple(values)

    def _runner(self, typed: IRModule, nested: str, name: str = "main") -> Callable[..., Any]:
        program = Program(typed, nested)
        function = typed[name]
        read: set[Var] | None = None

        def is_read(param: Var) -> bool:
            nonlocal read
            if read is None:
                read = {node for node in _core.post_order(function.body) if isinstance(node, Var)}
            return param in read

        def argument(value: Any, param: Var) -> Any:
            typ = _type_of(param)
            if nested == "list":
                value = as_input(value, typ, widen=True)
            if has_other_dtype(value, typ) and not is_read(param):
                # As TVM: of an argument that the function does not read, the element type does not matter.
                value = value.astype(typ.dtype)
            return named_argument(param.name_hint, value, typ, typed)

        def values_of(args: Sequence[Any], kwargs: Mapping[str, np.ndarray[Any, Any]]) -> list[Any]:
            return [argument(*each) for each in zip(self._convert_args(function, args, kwargs), function.params)]

        def run(*args: Any, **kwargs: Any) -> Any:
            return program.run(name, values_of(args, kwargs))

        setattr(run, "profile", lambda *args, **kwargs: program.profile(name, values_of(args, kwargs)))
        return run

    def _make_executor(self, expr: Any = None) -> Any:
        raise NotImplementedError()

    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """Runs main on these arguments and tells the time that each operator took.

        >>> x = relay.var("x", shape=(2, 3))
        >>> mod = relayopt.IRModule.from_expr(relay.nn.relu(relay.nn.dense(x, relay.ones((4, 3), "float32"))))
        >>> profile = relay.create_executor("vm", mod).profile(np.ones((2, 3), "float32"))
        >>> sorted((op.name, op.calls) for op in profile.operators)
        [('nn.dense', 1), ('nn.relu', 1), ('ones', 1)]
        >>> profile.operators[0].seconds <= profile.seconds
        True
        """
        result: Profile = self._make_executor().profile(*args, **kwargs)
        return result

    def evaluate(self, expr: Any = None, binds: Mapping[Var, Any] | None = None) -> Any:
        """The value of an expression; of a function or nothing (main) a callable."""
        from ..analysis import free_vars
        from ..scope_builder import ScopeBuilder

        if binds is not None:
            scope = ScopeBuilder()
            for key, value in as_dict("binds", binds, "a dict by variables").items():
                scope.let(key, _as_expr(value))
            scope.ret(expr)
            expr = scope.get()
        if expr is None:
            return self._make_executor()
        if isinstance(expr, Function):
            assert not free_vars(expr), "the function has free variables"
        if isinstance(expr, (Function, GlobalVar)):
            return self._make_executor(expr)
        # A function without parameters around it, run at once.
        return self._make_executor(Function([], expr))()


def _as_expr(value: RelayExpr) -> RelayExpr:
    if isinstance(value, RelayExpr):
        return value
    if isinstance(value, (tuple, list)):
        return Tuple([_as_expr(v) for v in value])
    return const(value)


class Interpreter(Executor):
    """Runs any program."""

    _nested = "debug"

    def _make_executor(self, expr: RelayExpr | None = None) -> Callable[..., Any]:
        mod = self.mod
        name = "main"
        if expr is None or isinstance(expr, GlobalVar):
            if isinstance(expr, GlobalVar):
                name = expr.name_hint
            if expr is None and not _core.module_function_names(mod):
                raise ValueError("there is no function to run")
        else:
            mod = mod._copy()
            taken = set(_core.module_function_names(mod))
            while name in taken:
                name = "__" + name
            mod._add(_core.module_global_var(mod, name), expr)
        return self._runner(make_pass("InferType")(mod), self._nested, name)


provide("program", Program)
