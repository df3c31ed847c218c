"""Modules."""

from __future__ import annotations

from .. import _core
from .._arguments import as_dict, as_text, expect
from .._ffi import Object, class_of, provided, register_object
from .attrs import DictAttrs
from .base import load_json, save_json
from .expr import GlobalVar, RelayExpr
from .transform import _Watching, make_pass
from .type import GlobalTypeVar, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..relay.adt import Constructor
    from ..runtime.container import Map
    from ..models import Difference, Report
    from ..viz import ModuleGraph
    from .base import SourceMap


def expect_module(value: Any, use: str = "expected") -> None:
    """TypeError for what is not a module."""
    if not isinstance(value, IRModule):
        read = ": relayopt.load reads files, relayopt.loads texts" if isinstance(value, (str, bytes)) else ""
        raise TypeError(f"an IRModule is {use}, not a {type(value).__name__}{read}")


@register_object("IRModule")
class IRModule(Object):
    """Functions and type definitions under names.

    >>> x = relay.var("x", shape=(2, 3))
    >>> mod = relayopt.IRModule({"main": relay.Function([x], relay.nn.relu(x))})
    >>> print(mod)
    def @main(%x: Tensor[(2, 3), float32]) {
      nn.relu(%x)
    }
    >>> mod["main"].params[0] is x
    True
    >>> mod["other"]
    Traceback (most recent call last):
        ...
    ValueError: Cannot find global var "other" in the Module
    candidates are: ["main"]
    """

    def __init__(self, functions: Any = None, type_definitions: Any = None, attrs: Any = None,
                 global_infos: Any = None) -> None:
        _core.module_new(self)
        if functions is not None and not hasattr(functions, "items"):
            raise TypeError(f"a module is made of a dict of functions, not of a {type(functions).__name__}: "
                            "IRModule.from_expr(expr) makes one of an expression")
        for key, function in dict(functions.items() if functions else {}).items():
            if isinstance(key, str):
                key = GlobalVar(key)
            if not isinstance(key, GlobalVar):
                raise TypeError("Expect functions to be Dict[GlobalVar, Function]")
            self._add(key, function)
        for key, data in as_dict("type_definitions", type_definitions).items():
            if isinstance(key, str):
                key = GlobalTypeVar(key)
            if not isinstance(key, GlobalTypeVar):
                raise TypeError("Expect type_definitions to be Dict[GlobalTypeVar, Type]")
            expect(f"type_definitions[{key.name_hint!r}]", data, Type, "a TypeData")
            _core.module_set_type(self, key, data)
        if attrs is not None:
            _core.module_set_attrs(self, attrs if isinstance(attrs, DictAttrs) else DictAttrs(as_dict("attrs", attrs)))

    @staticmethod
    def from_expr(expr: RelayExpr, functions: Any = None, type_defs: Any = None) -> IRModule:
        """A module whose function `main` computes an expression: a function is itself, anything else gets its free
        variables as parameters.

        >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
        >>> print(relayopt.IRModule.from_expr(x * y))
        def @main(%x: Tensor[(2), float32], %y: Tensor[(2), float32]) {
          multiply(%x, %y)
        }
        """
        mod = IRModule(functions, type_defs)
        expect("expr", expr, RelayExpr, "an expression or a function")
        function: Any = expr
        if isinstance(expr, class_of("relay.Function")):
            name = None if function.attrs is None else function.attrs.get("global_symbol")
        else:
            function = class_of("relay.Function")(provided("free_vars")(expr), expr, None,
                                                  provided("free_type_vars")(expr, mod))
            name = None
        name = str(name) if name else "main"
        taken = set(_core.module_function_names(mod))
        unique, count = name, 0
        while unique in taken:
            count += 1
            unique = f"{name}_{count}"
        mod._add(GlobalVar(unique), function)
        return mod

    # Functions.

    def _add(self, var: RelayExpr, value: Any, update: bool = False) -> None:
        """Puts a function under a name. One that is there is replaced, whatever `update` says."""
        make_function, make_var = class_of("relay.Function"), class_of("relay.Var")
        if isinstance(var, str):
            var = _core.module_global_var(self, var)
        if isinstance(value, GlobalVar):
            function = self[value]
            params = [make_var(p.name_hint, p.type_annotation) for p in function.params]
            value = make_function(params, value(*params), function.ret_type, function.type_params)
        elif isinstance(value, Object) and _core.is_prim_func(value):
            _core.module_set(self, var, value)
            return
        elif not isinstance(value, make_function):
            if not isinstance(value, RelayExpr):
                raise TypeError(f"a module holds functions, not {type(value).__name__}")
            value = make_function([], value, None, provided("free_type_vars")(value, self))
        free = provided("free_vars")(value)
        if len(free):
            names = ", ".join("%" + v.name_hint for v in free)
            raise ValueError(f"the function @{var.name_hint} uses variables that it does not bind: {names}")
        _core.module_set(self, var, value)

    def __setitem__(self, var: Any, val: Any) -> None:
        _Watching.check(self)
        if isinstance(var, str):
            as_text("the name of a function", var)
            var = _core.module_global_var(self, var) if isinstance(val, Object) and not isinstance(val, Type) else var
        if isinstance(val, Type) or isinstance(var, GlobalTypeVar):
            if isinstance(var, str):
                var = GlobalTypeVar(var)
            _core.module_set_type(self, var, val)
            return
        if not isinstance(var, GlobalVar):
            raise TypeError("a function has the name of a GlobalVar or a str")
        self._add(var, val)

    def __getitem__(self, var: Any) -> Any:
        if isinstance(var, (GlobalVar, str)):
            name = var if isinstance(var, str) else var.name_hint
            found = self._find(name)
            if found is None:
                names = ", ".join(f'"{n}"' for n in _core.module_function_names(self))
                raise ValueError(f'Cannot find global var "{name}" in the Module\ncandidates are: [{names}]')
            return found
        if not isinstance(var, GlobalTypeVar):
            _name(var)
        for gtv, data in _core.module_type_defs(self).items():
            if gtv is var or gtv.name_hint == var.name_hint:
                return data
        raise ValueError(f"Cannot find type definition {var.name_hint}")

    def get(self, name: str | GlobalVar, default: Any = None) -> Any:
        """The function of a name, or `default`.

        >>> mod = relayopt.IRModule.from_expr(relay.const(1))
        >>> mod.get("main") is mod["main"], mod.get("other")
        (True, None)
        """
        found = _core.module_get(self, _name(name))
        return default if found is None else found

    def __delitem__(self, var: Any) -> None:
        _Watching.check(self)
        if isinstance(var, str):
            self[var]
        _core.module_remove(self, _name(var))

    def __contains__(self, var: Any) -> bool:
        return _core.module_get(self, _name(var)) is not None

    def __iter__(self) -> Any:
        return iter(self.get_global_vars())

    def __len__(self) -> int:
        return len(_core.module_function_names(self))

    @property
    def functions(self) -> Map:
        """Map from GlobalVar to Function, by name."""
        return _core.make_map(_core.module_functions(self))

    def functions_items(self) -> Any:
        return list(_core.module_functions(self).items())

    @property
    def type_definitions(self) -> Map:
        return _core.make_map(_core.module_type_defs(self))

    @property
    def attrs(self) -> Any:
        return _core.module_attrs(self)

    @property
    def source_map(self) -> SourceMap | None:
        """The texts that the module was read from; None for one that was built."""
        return self.__dict__.get("_source_map")

    def _keep_sources(self, other: IRModule) -> None:
        """Remembers what another module was read from, whose expressions this one has."""
        if "_source_map" in other.__dict__ and other is not self:
            self.__dict__["_source_map"] = other.__dict__["_source_map"]

    def update(self, other: IRModule | dict[Any, Any]) -> IRModule:
        """Takes over the functions and types of another module.

        >>> mod = relayopt.IRModule.from_expr(relay.const(1))
        >>> other = relayopt.IRModule({"f": relay.Function([], relay.const(2))})
        >>> mod.update(other).get_global_vars()
        [I.GlobalVar("f"), I.GlobalVar("main")]
        """
        _Watching.check(self)
        if isinstance(other, dict):
            other = IRModule(other)
        expect_module(other)
        for gtv, data in _core.module_type_defs(other).items():
            _core.module_set_type(self, gtv, data)
        functions = _core.module_functions(other)
        renamed = {gv: _core.module_global_var(self, gv.name_hint) for gv in functions}
        renamed = {old: new for old, new in renamed.items() if old is not new}
        for gv, function in functions.items():
            if renamed:
                function = provided("with_global_vars")(function, renamed)
            _core.module_set(self, renamed.get(gv, gv), function)
        return self

    def update_func(self, var: Any, func: Any) -> None:
        self[var] = func

    def get_global_var(self, name: str) -> GlobalVar:
        if self._find(name) is None:
            names = ", ".join(f'"{n}"' for n in _core.module_function_names(self))
            raise ValueError(f'Cannot find global var "{name}" in the Module\ncandidates are: [{names}]')
        return _core.module_global_var(self, name)

    def get_global_vars(self) -> list[GlobalVar]:
        return [_core.module_global_var(self, name) for name in _core.module_function_names(self)]

    # Types.

    def get_global_type_var(self, name: str) -> GlobalTypeVar:
        for gtv in _core.module_type_defs(self):
            if gtv.name_hint == name:
                return gtv
        raise ValueError(f'Cannot find global type var "{name}" in the Module')

    def get_global_type_vars(self) -> list[GlobalTypeVar]:
        return list(_core.module_type_defs(self))

    def get_constructor(self, tag: int) -> Constructor:
        for data in _core.module_type_defs(self).values():
            for ctor in data.constructors:
                if ctor.tag == tag:
                    return ctor
        raise ValueError(f"There is no constructor with the tag {tag}")

    def get_type(self, name: str) -> tuple[Any, ...]:
        """(GlobalTypeVar, constructor, ...) of a type."""
        gtv = self.get_global_type_var(name)
        return tuple([gtv] + list(self[gtv].constructors))

    def import_from_std(self, file_to_import: str) -> IRModule:
        """Takes over a file of the standard library, once; returns the module with types inferred."""
        import os

        path = os.path.join(os.path.dirname(os.path.dirname(__file__)), "std", file_to_import)
        return self._import(path)

    def _import(self, file_to_import: str) -> IRModule:
        done = self.__dict__.setdefault("_imported", set())
        if file_to_import not in done:
            done.add(file_to_import)
            with open(file_to_import, encoding="utf-8") as file:
                self._take_text(file.read(), file_to_import)
        return make_pass("InferType")(self)

    def _take_text(self, text: str, name: str) -> None:
        """Adds the definitions of a text, which may use those of the module."""
        read = _core.parse(text, name, self)
        known = set(_core.module_function_names(self))
        for gtv, data in _core.module_type_defs(read).items():
            _core.module_set_type(self, gtv, data)
        # What is read has types, as all that is parsed; what was there before stays as it is.
        for gv, function in _core.module_functions(make_pass("InferType")(read)).items():
            if gv.name_hint not in known:
                _core.module_set(self, _core.module_global_var(self, gv.name_hint), function)

    def _find(self, name: str) -> Any:
        """The function of a name, or None. A prelude may have some that are made when they are asked for."""
        try:
            found = _core.module_get(self, name)
        except TypeError:
            as_text("the name of a function", name)
            raise
        provider = self.__dict__.get("_provider")
        if found is None and provider is not None and provider(name):
            found = _core.module_get(self, name)
        return found

    # Attributes.

    def get_attr(self, attr_key: str) -> Any:
        attrs, attr_key = self.attrs, as_text("attr_key", attr_key)
        return None if attrs is None else attrs.get(attr_key)

    def with_attr(self, attr_key: str, attr_value: Any) -> IRModule:
        made = self._copy()
        values = {} if self.attrs is None else dict(self.attrs.items())
        values[as_text("attr_key", attr_key)] = attr_value
        _core.module_set_attrs(made, DictAttrs(values))
        return made

    def without_attr(self, attr_key: str) -> IRModule:
        made = self._copy()
        values = {} if self.attrs is None else dict(self.attrs.items())
        values.pop(as_text("attr_key", attr_key), None)
        _core.module_set_attrs(made, DictAttrs(values) if values else None)
        return made

    def with_attrs(self, attr_map: Mapping[str, Any]) -> IRModule:
        made = self
        for key, value in as_dict("attr_map", attr_map).items():
            made = made.with_attr(key, value)
        return made

    def _copy(self) -> IRModule:
        made = IRModule.__new__(type(self))
        _core.module_copy(self, made)
        if "_imported" in self.__dict__:
            made.__dict__["_imported"] = set(self._imported)
        made._keep_sources(self)
        return made

    __copy__ = _copy

    def __deepcopy__(self, memo: Any) -> Any:
        return self._copy()

    # Text.

    def astext(self, show_meta_data: bool = True, annotate: Callable[..., Any] | None = None) -> str:
        r"""The text with its version, and with metadata or a comment that stands for it.

        >>> mod = relayopt.IRModule.from_expr(relay.const([1, 2]))
        >>> print(mod.astext().split("\n")[0])
        #[version = "0.0.5"]
        """
        text: str = provided("module_text")(self, show_meta_data, annotate)
        return text

    def __str__(self) -> str:
        return _without_header(_core.module_text(self, 0))

    __repr__ = __str__

    def script(self, *_: Any, **__: Any) -> str:
        return str(self)

    def show(self, *_: Any, **__: Any) -> None:
        print(self)

    def _repr_html_(self) -> str:
        text: str = provided("views")().module_html(self)
        return text

    def diff(self, other: IRModule) -> Difference:
        """How the structure of another module differs from that of this one, as `relayopt.diff` says it.

        >>> x = relay.var("x", shape=(2,))
        >>> mod = relayopt.IRModule.from_expr(relay.nn.relu(x))
        >>> print(mod.diff(relayopt.IRModule.from_expr(relay.tanh(x))))
          @main
        ! def @main(...) {
               operand 1: nn.relu(%x) -> tanh(%x)
        -   nn.relu(%x) /* ty=Tensor[(2), float32] */
        +   tanh(%x) /* ty=Tensor[(2), float32] */
          }
        1 added, 1 removed, 1 changed in 1 definition
        >>> mod.diff(relayopt.IRModule.from_expr(relay.nn.relu(relay.var("y", shape=(2,)))))
        no difference
        """
        found: Difference = provided("diff")(self, other)
        return found

    def graph(self, whole: bool = False) -> ModuleGraph:
        """The picture of a module, as reports have it; with `whole`, constants and the inside of kernels, too.

        >>> mod = relayopt.IRModule.from_expr(relay.nn.relu(relay.var("x", shape=(2,))))
        >>> print(mod.graph().text("mermaid").rstrip())
        flowchart TD
        subgraph f0["@main"]
          n0(["%x"])
          n1["relu"]
          n2(["result"])
        end
        n0 -->|"2 float32"| n1
        n1 -->|"2 float32"| n2
        """
        view: ModuleGraph = provided("views")().ModuleGraph(self, whole)
        return view

    def report(self, passes: Any = "", **context: Any) -> Report:
        """What passes make of the module, step by step: `relayopt.report`."""
        made: Report = provided("report")(self, passes, **context)
        return made

    def __reduce__(self) -> Any:
        # Graph JSON keeps types, spans and devices, and does not know tensor programs.
        programs = {gv.name_hint: func for gv, func in self.functions_items() if _core.is_prim_func(func)}
        rest = self._copy() if programs else self
        for name in programs:
            _core.module_remove(rest, name)
        state = {key: self.__dict__[key] for key in ("_imported", "_source_map") if key in self.__dict__}
        return (_unpickle, (save_json(rest), programs, state))


def _unpickle(text: str, programs: dict[str, Any], state: dict[str, Any]) -> Any:
    mod = load_json(text)
    for name, program in programs.items():
        mod._add(name, program)
    mod.__dict__.update(state)
    return mod


def _name(var: Any) -> str:
    """The name of a function."""
    if not isinstance(var, (str, GlobalVar)):
        raise TypeError(f"a function has the name of a GlobalVar or a str, not of {type(var).__name__}")
    return as_text("the name of a function", var) if isinstance(var, str) else str(var.name_hint)


def _without_header(text: str) -> str:
    return text.split("\n", 1)[1].rstrip("\n") + "\n" if text.startswith("#[version") else text
