"""Passes, contexts, sequences. What runs inside of the core and what runs in Python keeps one protocol."""

from __future__ import annotations

import sys
import threading

from .. import _core
from .._arguments import as_bool, as_int, as_list, as_text, expect
from .._ffi import class_of, provided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, overload

    from ..relay.function import Function
    from .expr import RelayExpr
    from .instrument import PassInstrument
    from .module import IRModule

    class _Decorator(Protocol):
        """What makes passes: of a function a pass, of a class a class of passes; without either a decorator for them."""

        # A class is a callable, too: what fits first counts.
        @overload
        def __call__(  # type: ignore[overload-overlap]
            self, pass_func: type, opt_level: int | None = None, name: str | None = None,
            required: Sequence[str] | None = None, traceable: bool = False) -> Callable[..., Pass]: ...
        @overload
        def __call__(self, pass_func: Callable[..., Any], opt_level: int | None = None, name: str | None = None,
                     required: Sequence[str] | None = None, traceable: bool = False) -> Pass: ...
        @overload
        def __call__(self, pass_func: None = None, opt_level: int | None = None, name: str | None = None,
                     required: Sequence[str] | None = None, traceable: bool = False) -> _Wrap: ...

    class _Wrap(Protocol):
        @overload
        def __call__(self, pass_func: type, /) -> Callable[..., Pass]: ...  # type: ignore[overload-overlap]
        @overload
        def __call__(self, pass_func: Callable[..., Any], /) -> Pass: ...

# Options that TVM declares for parts that relayopt does not have, beside those of the core: validated, and read by nobody.
_IGNORED_CONFIG = {
    "relay.backend.disable_memory_plan": "IntImm",
    "relay.ext.cmsisnn.options": "relay.ext.cmsisnn.options",
    "relay.ext.ethos-u.options": "relay.ext.ethos-u.options",
    "relay.ext.vitis_ai.options": "Map",
    "cuda.kernels_output_dir": "runtime.String",
    "tir.add_lower_pass": "Array",
    "tir.dma_bypass_cache": "IntImm",
    "tir.enable_buffer_level_predication": "IntImm",
    "tir.merge_async_commit_queue_scope": "IntImm",
    "tir.reorganize_conv2d": "IntImm",
    "tir.simplify_for_cse": "IntImm",
}
_KIND_TYPES = ["IntImm", "IntImm", "FloatImm", "runtime.String", "Array", "Map", "runtime.String"]
_user_config = {}


def register_config(key: str, type_key: str, default: Any = None, doc: str = "") -> None:
    """Declares a config key of your own.

    >>> transform.register_config("my.limit", "IntImm", default=8, doc="How often it is tried.")
    >>> with transform.PassContext(config={"my.limit": 4}) as ctx:
    ...     ctx.config["my.limit"]
    4
    """
    _user_config[key] = (type_key, default, doc)


def _config_types() -> dict[str, str]:
    types = dict(_IGNORED_CONFIG)
    for key, _, kind, _, _, fields in _core.config_table():
        types[key] = _KIND_TYPES[kind] if fields is None else key
    for key, (kind, _, _) in _user_config.items():
        types[key] = kind
    return types


class ConfigRecord:
    """The options of a pass as the value of a key, filled up with defaults."""

    def __init__(self, key: str, defaults: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        for name in given:
            if name not in defaults:
                raise AttributeError(f"{key}: does not have field {name!r}, candidates are: {list(defaults)}")
        self.__dict__.update(defaults)
        self.__dict__.update(given)
        self.type_key = key

    def _for_core(self) -> str:
        import json

        return json.dumps({name: value for name, value in self.__dict__.items() if name != "type_key"})


def _check_config(config: Mapping[str, Any] | None) -> dict[str, Any]:
    if not config:
        return {}
    if not hasattr(config, "items"):
        raise TypeError(f"config is a dict, not a {type(config).__name__}")
    types = _config_types()
    records = {key: fields for key, _, _, _, _, fields in _core.config_table() if fields is not None}
    checked = {}
    for key, value in dict(config.items()).items():
        key = str(key)
        if key not in types:
            import difflib

            near = difflib.get_close_matches(key, types, 1)
            hint = f" (did you mean '{near[0]}'?)" if near else ""
            raise AttributeError(f"Invalid config option '{key}'{hint} candidates are: {', '.join(sorted(types))}")
        expected = types[key]
        if key in records:
            if hasattr(value, "items"):
                value = ConfigRecord(key, records[key], {str(name): _config_value(each)[0] for name, each in value.items()})
            if getattr(value, "type_key", None) != key:
                raise AttributeError(f"expect config {key} to have type {key} but get {type(value).__name__}")
            checked[key] = value
            continue
        value, actual = _config_value(value)
        if expected in ("IntImm", "FloatImm", "runtime.String", "Array", "Map") and actual != expected:
            raise AttributeError(f"expect config {key} to have type {expected} but get {actual}")
        checked[key] = value
    return checked


def _config_value(value: Any) -> tuple[Any, str]:
    import numbers

    from ..runtime.container import Array, Map
    from ..tir.expr import FloatImm, IntImm

    if isinstance(value, IntImm):
        return (bool(value.value) if value.dtype == "bool" else value.value), "IntImm"
    if isinstance(value, FloatImm):
        return value.value, "FloatImm"
    if isinstance(value, numbers.Integral):
        return (bool(value) if isinstance(value, bool) else int(value)), "IntImm"
    if isinstance(value, numbers.Real):
        return float(value), "FloatImm"
    if isinstance(value, str):
        return str(value), "runtime.String"
    if isinstance(value, (list, tuple, Array)):
        return list(value), "Array"
    if isinstance(value, (dict, Map)):
        return dict(value.items()), "Map"
    return value, getattr(value, "type_key", type(value).__name__)


class PassInfo:
    """What everybody may know about a pass.

    >>> info = relay.transform.FoldConstant().info
    >>> info.name, info.opt_level, info.required
    ('FoldConstant', 2, [])
    """

    type_key = "transform.PassInfo"

    def __init__(self, opt_level: int, name: str, required: Sequence[str] | None = None,
                 traceable: bool = False) -> None:
        expect("name", name, str, "the name of a pass")
        self.opt_level: int = as_int("opt_level", opt_level, *_LEVELS)
        self.name: str = name
        self.required = [str(r) for r in required or []]
        self.traceable = traceable
        _python_passes.add(name)
        self.changed: Any = None
        self.is_sequence = False

    def __str__(self) -> str:
        required = "".join(name + ", " for name in self.required)
        required = f"[\n{required}]" if self.required else "[]"
        return (
            f"The meta data of the pass - pass name: {self.name}, opt_level: {self.opt_level}, "
            f"required passes: {required}\n"
        )

    __repr__ = __str__


def _names(value: Any, what: str) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        raise TypeError(f"{what} is expected to be a list or tuple of names, not the str '{value}'")
    return [as_text(what, getattr(name, "name_hint", name), "a list of names") for name in as_list(what, value, "a list of names")]


def _target_of(target: Any) -> Any:
    if target is None:
        return None
    from ..target import Target

    return Target.canon_target(target)


def _instruments(given: Any) -> list[Any]:
    instruments = [] if given is None else as_list("instruments", given, "a list of PassInstrument")
    for instrument in instruments:
        if isinstance(instrument, type):
            raise TypeError(f"{instrument.__name__} is a class: an instrument is made by {instrument.__name__}()")
        if not hasattr(instrument, "_callbacks"):
            raise TypeError(f"{instrument!r} is no PassInstrument")
    return instruments


# The core's numbers of levels.
_LEVELS = (-2**31, 2**31 - 1)
# As --threads of the tool has it.
_MOST_THREADS = 1024


class PassContext:
    """The context in which passes run: entered by `with`, innermost one first.

    `opt_level` int, `required_pass` and `disabled_pass` names of pass infos, `instruments` in the order in which they are
    called, `config` checked values of declared keys. Keywords of relayopt: `threads`, `strict_fp`, `target`, `functions`,
    `trace` (a function `trace(mod, info, is_before)`), `statistics` and `remarks` (as if they were among the instruments),
    `warn_about_skipped_passes` (those that a Sequential leaves out because of the optimization level).

    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> seq = transform.Sequential([relay.transform.FoldConstant()])
    >>> with transform.PassContext(opt_level=3):
    ...     seq(mod)["main"].body
    <Constant int32[] int32>
    >>> with transform.PassContext(opt_level=3, disabled_pass=["FoldConstant"]):
    ...     seq(mod)["main"].body
    <Call add(constant, constant) int32>
    >>> transform.PassContext(config={"relay.FuseOps.max_dept": 4})
    Traceback (most recent call last):
        ...
    AttributeError: Invalid config option 'relay.FuseOps.max_dept' (did you mean 'relay.FuseOps.max_depth'?) candidates are: ...
    """

    type_key = "transform.PassContext"
    _local = threading.local()

    def __init__(self, opt_level: int = 2, required_pass: Sequence[str] | None = None,
                 disabled_pass: Sequence[str] | None = None, instruments: Sequence[PassInstrument] | None = None,
                 config: Mapping[str, Any] | None = None, *, threads: int = 1, strict_fp: bool = False,
                 target: Any = None, functions: Any = None, trace: Callable[..., Any] | None = None,
                 statistics: PassInstrument | None = None, remarks: PassInstrument | None = None,
                 warn_about_skipped_passes: bool = False) -> None:
        self._opt_level = as_int("opt_level", opt_level, *_LEVELS)
        self._required = _names(required_pass, "required_pass")
        self._disabled = _names(disabled_pass, "disabled_pass")
        self._instruments: list[Any] = _instruments(instruments)
        self._instruments += _instruments(each for each in (statistics, remarks) if each is not None)
        if trace is not None:
            if not callable(trace):
                raise TypeError(f"trace is a function of a module, the info of a pass and a bool, not {trace!r}")
            self._instruments.append(_TraceInstrument(trace))
        self._config = _check_config(config)
        self._threads, self._strict_fp = as_int("threads", threads, 0, _MOST_THREADS), as_bool("strict_fp", strict_fp)
        self._target = _target_of(target)
        self._functions = _names(functions, "functions")
        self._warns_about_skipped = as_bool("warn_about_skipped_passes", warn_about_skipped_passes)
        self._passes_of_core: Any = None

    opt_level = property(lambda self: self._opt_level)
    required_pass = property(lambda self: list(self._required))
    disabled_pass = property(lambda self: list(self._disabled))
    instruments = property(lambda self: list(self._instruments))
    config = property(lambda self: dict(self._config))
    diag_ctx = None
    make_traceable = property(lambda self: None)
    trace_stack = property(lambda self: [])

    def same_as(self, other: Any) -> bool:
        """Whether it is this very context."""
        return self is other

    def __repr__(self) -> str:
        shown = [f"opt_level={self._opt_level}"]
        for name, value in (("required_pass", self._required), ("disabled_pass", self._disabled),
                            ("instruments", self._instruments), ("config", self._config)):
            if value:
                shown.append(f"{name}={value!r}")
        return f"PassContext({', '.join(shown)})"

    @staticmethod
    def _stack() -> list[PassContext]:
        stack = getattr(PassContext._local, "stack", None)
        if stack is None:
            stack = PassContext._local.stack = []
            PassContext._local.default = PassContext()
        return stack

    @staticmethod
    def current() -> PassContext:
        """The innermost context of this thread, or its default one.

        >>> with transform.PassContext(opt_level=4):
        ...     transform.PassContext.current().opt_level
        4
        """
        stack = PassContext._stack()
        return stack[-1] if stack else PassContext._local.default

    @staticmethod
    def list_configs() -> dict[str, dict[str, Any]]:
        """Every declared key with its type, default and description.

        >>> transform.PassContext.list_configs()["relay.FuseOps.max_depth"]["type"]
        'IntImm'
        """
        rows = {key: {"type": kind} for key, kind in _config_types().items()}
        for key, _, _, default, doc, _ in _core.config_table():
            rows[key].update(default=default, doc=doc)
        return rows

    def pass_enabled(self, info: PassInfo) -> bool:
        """Whether a Sequential runs a pass of this info."""
        if info.name in self._disabled:
            return False
        return info.name in self._required or self._opt_level >= info.opt_level

    def _enter_instruments(self) -> None:
        entered = []
        try:
            for instrument in self._instruments:
                instrument._call("enter_pass_ctx")
                entered.append(instrument)
        except BaseException:
            self._instruments = []
            for instrument in reversed(entered):
                instrument._call("exit_pass_ctx")
            raise

    def _exit_instruments(self) -> None:
        try:
            for instrument in self._instruments:
                instrument._call("exit_pass_ctx")
        except BaseException:
            self._instruments = []
            raise

    def __enter__(self) -> PassContext:
        self._enter_instruments()
        PassContext._stack().append(self)
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        stack = PassContext._stack()
        if not stack or stack[-1] is not self:
            inner = stack[-1] if stack else None
            raise RuntimeError(f"{self!r} is left, which is not the innermost context: that is {inner!r}")
        stack.pop()
        self._exit_instruments()

    def override_instruments(self, instruments: Sequence[PassInstrument] | None) -> None:
        """Replaces the instruments: the old ones leave the context, the new ones enter it."""
        self._exit_instruments()
        self._instruments = _instruments(instruments)
        self._enter_instruments()

    def _on_functions(self, run: Callable[..., IRModule], mod: IRModule) -> IRModule:
        """Runs a pass for some functions only. Names of none, before or after it, are an error, which is up to the pass
        around all others in this context: those inside may have removed functions."""
        running: list[PassContext] = PassContext._local.__dict__.setdefault("running", [])
        if any(each is self for each in running):
            return run(mod, self)
        running.append(self)
        try:
            made = run(mod, self)
        finally:
            running.pop()
        _core.check_function_names("functions", self._functions, mod, made)
        return made

    # The protocol around a pass.

    def _should_run(self, mod: IRModule, info: PassInfo) -> bool:
        if info.name in self._required:
            return True
        run = True
        if self._instruments:
            with _Watching(mod):
                for instrument in list(self._instruments):
                    run = instrument._votes(mod, info) and run
        return run

    def _before(self, mod: IRModule, info: PassInfo) -> None:
        if self._instruments:
            with _Watching(mod):
                for instrument in list(self._instruments):
                    instrument._call("run_before_pass", mod, info)

    def _after(self, mod: IRModule, info: PassInfo, changed: bool) -> None:
        info.changed = changed
        if self._instruments:
            with _Watching(mod):
                for instrument in list(self._instruments):
                    instrument._call("run_after_pass", mod, info)

    def _warn_about_names(self) -> None:
        """Names that no pass has switch nothing on or off."""
        for name in self._required + self._disabled:
            if name in _warned or name in _names_of_passes():
                continue
            import difflib
            import warnings

            _warned.add(name)
            near = difflib.get_close_matches(name, _names_of_passes(), 1)
            hint = f" (did you mean '{near[0]}'?)" if near else ""
            warnings.warn(f"there is no pass '{name}'{hint}: required_pass and disabled_pass go by the names in pass "
                          "infos", stacklevel=5)

    def _for_core(self) -> dict[str, Any]:
        from ..target import Target

        target = Target.current() if self._target is None else self._target
        return {
            "opt_level": self._opt_level,
            "threads": self._threads,
            "required_pass": self._required,
            "disabled_pass": self._disabled,
            "functions": self._functions,
            "target": "" if target is None else target._handle.json,
            "strict_fp": self._strict_fp,
            "config": {key: value._for_core() if isinstance(value, ConfigRecord) else value for key, value in self._config.items()},
            "instruments": _CoreCallbacks(self) if any(each._callbacks() for each in self._instruments) else None,
            "observers": [each._observer for each in self._instruments if hasattr(each, "_observer")],
            "warn_about_skipped_passes": self._warns_about_skipped,
        }


class _Watching:
    """While instruments look at a module it cannot be changed."""

    _local = threading.local()

    def __init__(self, mod: IRModule) -> None:
        self._mod = mod

    def __enter__(self) -> None:
        self._local.__dict__.setdefault("watched", []).append(self._mod)

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        self._local.watched.pop()

    @classmethod
    def check(cls, mod: IRModule) -> None:
        """TypeError for a module that instruments look at."""
        watched = cls._local.__dict__.get("watched")
        if watched and any(each is mod for each in watched):
            raise TypeError("an instrument cannot change the module that it is shown")


# Names of passes of Python, and those that somebody was warned about.
_python_passes: set[str] = {"PrintIR", "sequential"}
_warned: set[str] = set()


def _names_of_passes() -> set[str]:
    return _python_passes.union(row["info_name"] for row in _core.pass_table())


class _CoreCallbacks:
    """Calls the instruments of a context for passes that run inside of the core."""

    def __init__(self, context: PassContext) -> None:
        self._context = context

    @staticmethod
    def _info(info: Sequence[Any]) -> PassInfo:
        level, name, required, is_sequence = info
        made = PassInfo(level, name, required)
        made.is_sequence = is_sequence
        return made

    def should_run(self, mod: IRModule, info: Sequence[Any], _: Any) -> bool:
        return self._context._should_run(mod, self._info(info))

    def before(self, mod: IRModule, info: Sequence[Any], _: Any) -> None:
        self._context._before(mod, self._info(info))

    def after(self, mod: IRModule, info: Sequence[Any], changed: bool) -> None:
        self._context._after(mod, self._info(info), changed)


class _TraceInstrument:
    """Calls `trace(mod, info, is_before)` around passes."""

    def __init__(self, trace: Callable[..., Any]) -> None:
        self._trace = trace

    def _callbacks(self) -> Any:
        return {"run_before_pass": self._trace, "run_after_pass": self._trace}

    def _call(self, name: str, *args: Any) -> None:
        if name in ("run_before_pass", "run_after_pass"):
            self._trace(*args, name == "run_before_pass")

    def _votes(self, mod: IRModule, info: PassInfo) -> bool:
        return True


# Module passes that read types although they do not require them by name.
_READ_TYPES = ("PartitionGraph", "InlineCompilerFunctionsBoundTo")


class Pass:
    """A pass. `mod = p(mod)` runs it in the current context, `p(mod, ctx)` in another.

    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> fold = relay.transform.FoldConstant()
    >>> fold
    Run Function pass: FoldConstant at the optimization level 2
    >>> fold(mod)["main"].body
    <Constant int32[] int32>
    """

    type_key = "transform.Pass"
    # The canonical text of a pass that was made from one, by `relayopt.pipeline`.
    pipeline_text: str | None = None
    # The row of the core's table and the options that a pass was made from, by `make_pass`.
    _recipe: tuple[str, dict[str, Any]] | None = None

    def __init__(self, handle: Any = None, info: Any = None) -> None:
        self._handle = handle
        if handle is not None:
            level, name, required, _ = handle.info
            info = PassInfo(level, name, required)
        self._info: PassInfo = info

    @property
    def info(self) -> PassInfo:
        return self._info

    def __call__(self, mod: "IRModule", ctx: "PassContext | None" = None) -> "IRModule":
        module: type[IRModule] = class_of("IRModule")
        if not isinstance(mod, module):
            raise TypeError(f"a pass runs on an IRModule, not on a {type(mod).__name__}")
        context = PassContext.current() if ctx is None else ctx
        expect("ctx", context, PassContext, "a PassContext")
        return context._on_functions(self._apply, mod) if context._functions else self._apply(mod, context)

    def _apply(self, mod: IRModule, context: PassContext) -> IRModule:
        if self._handle is not None:
            return self._run_core(mod, context)
        module: type[IRModule] = class_of("IRModule")
        if not context._should_run(mod, self._info):
            return mod
        context._before(mod, self._info)
        immutable = context._config.get("testing.immutable_module")
        if immutable:
            from .base import structural_hash

            before = structural_hash(mod)
        result = self._run(mod, context)
        if immutable and structural_hash(mod) != before:
            from ..error import TVMError

            raise TVMError(f"Immutable module has been modified in pass: {self._info.name}")
        if not isinstance(result, module):
            raise TypeError(f"the pass {self._info.name} must return an IRModule, not {type(result).__name__}")
        context._after(result, self._info, result is not mod)
        return result

    def _run_core(self, mod: IRModule, context: PassContext, callbacks: "dict[str, Any] | None" = None) -> IRModule:
        # Within the pass, the context is the current one.
        from ..error import DiagnosticError
        from .diagnostics import report

        if self._info.is_sequence:
            context._warn_about_names()
        given = mod
        stack = PassContext._stack()
        stack.append(context)
        try:
            if "InferType" in self._info.required or self._info.name in _READ_TYPES:
                # Called by itself, a pass that needs types gets them.
                silent = PassContext(context.opt_level)
                mod = _core.run_pass(_core.make_pass("InferType", {}), mod, silent._for_core())
            settings = context._for_core()
            if callbacks is not None:
                settings["callbacks"] = callbacks
            result: IRModule = _core.run_pass(self._handle, mod, settings)
            result._keep_sources(given)
            return result
        except DiagnosticError as error:
            report(error)
            raise
        finally:
            stack.pop()

    def _run(self, mod: Any, context: Any) -> Any:
        raise NotImplementedError()

    def __reduce__(self) -> Any:
        if self.pipeline_text is not None:
            return (provided("pipeline"), (self.pipeline_text,))
        if self._recipe is not None:
            return (_make_again, self._recipe)
        # A pass of Python, where its function can be pickled.
        return (_blank, (type(self),), self.__dict__)

    def astext(self, *_: Any, **__: Any) -> str:
        return str(self)

    def same_as(self, other: Any) -> bool:
        return self is other

    def _kind(self) -> str:
        return "Module"

    def __str__(self) -> str:
        return f"Run {self._kind()} pass: {self.info.name} at the optimization level {self.info.opt_level}"

    __repr__ = __str__


def _blank(cls: type[Pass]) -> Pass:
    return cls.__new__(cls)


class ModulePass(Pass):
    """A pass on modules as a whole."""

    type_key = "transform.ModulePass"
    _body: Callable[..., Any]

    def _run(self, mod: IRModule, context: PassContext) -> Any:
        result = self._body(mod, context)
        if result is None:
            raise TypeError(f"the pass {self._info.name} must return an IRModule, not None")
        return result


class FunctionPass(Pass):
    """A pass on one function after the other; types are inferred afterwards."""

    type_key = "relay.FunctionPass"
    _body: Callable[..., Any]

    def _kind(self) -> str:
        return "Function"

    def _run(self, mod: IRModule, context: PassContext) -> IRModule:
        result = mod._copy()
        kind = class_of("relay.Function")
        view = _ReadOnlyModule.of(mod)
        updates = []
        for var, function in _core.module_functions(mod).items():
            if not isinstance(function, kind) or _is_left_out(function):
                continue
            new = self._body(function, view, context)
            if not isinstance(new, kind):
                made = "None" if new is None else type(new).__name__
                raise TypeError(f"the pass {self._info.name} must return a Function, not {made}")
            if new is not function:
                updates.append((var, new))
        for var, function in updates:
            result._add(var, function)
        return make_pass("InferType")(result, context)


def _is_left_out(function: Function) -> bool:
    attrs = function.attrs
    if attrs is None:
        return False

    def number(key: Any) -> Any:
        value = attrs.get(key)
        return int(value) if value is not None and not isinstance(value, str) else 0

    return isinstance(attrs.get("Compiler"), str) or number("Extern") != 0 or number("SkipOptimization") != 0


class _ReadOnlyModule:
    """The module that a function pass is given; made lazily."""

    @staticmethod
    def of(mod: IRModule) -> IRModule:
        view = mod._copy()
        setattr(view, "__class__", _read_only_class(class_of("IRModule")))
        return view


_read_only: Any = None


def _read_only_class(base: Any) -> Any:
    global _read_only
    if _read_only is None:

        class ReadOnlyIRModule(base):  # type: ignore[misc]  # IRModule, which imports this module.
            """A module that a function pass looks at."""

            def __setitem__(self, var: str, val: RelayExpr) -> Any:
                raise TypeError("a function pass cannot change the module: return the new function")

        _read_only = ReadOnlyIRModule
    return _read_only


class Sequential(Pass):
    """Runs passes one after the other: those that the context enables, each preceded by what it requires.

    >>> x = relay.var("x", shape=(2,))
    >>> mod = relayopt.IRModule.from_expr(relay.nn.relu(x) + relay.nn.relu(x))
    >>> seq = transform.Sequential([relay.transform.EliminateCommonSubexpr(), relay.transform.FuseOps()])
    >>> with transform.PassContext(opt_level=3):
    ...     mod = seq(mod)
    >>> relay.analysis.list_op_freqs(mod)
    {"nn.relu": 1, "add": 1}
    """

    type_key = "transform.Sequential"

    def __init__(self, passes: Sequence[Pass] | None = None, opt_level: int = 0, name: str = "sequential",
                 required: Sequence[str] | None = None, traceable: bool = False) -> None:
        passes = [] if passes is None else passes
        if not isinstance(passes, (list, tuple)):
            raise TypeError("passes must be a list of Pass objects.")
        for each in passes:
            if not isinstance(each, Pass):
                made_by = getattr(each, "__name__", None)
                hint = f": a pass is made by {made_by}()" if made_by else ""
                raise TypeError(f"passes must be a list of Pass objects, and one is of type {type(each).__name__}{hint}")
        required = [] if required is None else required
        if not isinstance(required, (list, tuple)):
            raise TypeError("Required is expected to be the type of list/tuple.")
        super().__init__(info=PassInfo(opt_level, name, required))
        self._info.is_sequence = True
        self.passes = list(passes)

    def _kind(self) -> str:
        return "Sequential"

    def _run(self, mod: IRModule, context: PassContext) -> IRModule:
        context._warn_about_names()
        for each in self.passes:
            if not context.pass_enabled(each.info):
                if context._warns_about_skipped and each.info.name not in context._disabled:
                    import warnings

                    warnings.warn(f"the pass {each.info.name} is left out: it needs opt_level {each.info.opt_level}, and "
                                  f"the context has {context._opt_level}", stacklevel=4)
                continue
            for name in each.info.required:
                mod = get_pass(name)(mod, context)
            mod = each(mod, context)
        return mod

    def __str__(self) -> str:
        names = "".join(each.info.name + " " for each in self.passes)
        return (
            f"Run Sequential pass: {self.info.name} at the optimization level {self.info.opt_level}. "
            f"The passes will be executed are: [{names}]"
        )

    __repr__ = __str__


class _CoreSequential(Sequential):
    """A sequence of the core."""

    def __init__(self, handle: Any) -> None:
        Pass.__init__(self, handle)
        self.passes = [wrap(each) for each in handle.passes]


class _CoreModulePass(ModulePass):
    pass


class _CoreFunctionPass(FunctionPass):
    pass


_kinds: Any = None


def wrap(handle: Any) -> Pass:
    """The Python pass of one of the core's."""
    global _kinds
    if _kinds is None:
        _kinds = {}
        for row in _core.pass_table():
            _kinds[row["info_name"]] = row["kind"]
    level, name, required, is_sequence = handle.info
    if is_sequence:
        return _CoreSequential(handle)
    cls = _CoreFunctionPass if _kinds.get(name) == "function" else _CoreModulePass
    made = cls.__new__(cls)
    Pass.__init__(made, handle)
    return made


def make_pass(name: str, **options: Any) -> Pass:
    """A pass of the core's table by the name of its factory; options that are None have their defaults."""
    return _make_again(name, {key: value for key, value in options.items() if value is not None})


def _make_again(name: str, options: dict[str, Any]) -> Pass:
    made = wrap(_core.make_pass(name, options))
    made._recipe = (name, options)
    return made


def get_pass(name: str) -> Pass:
    """The pass that a name in `required` stands for."""
    for prefix in ("transform.", "relay._transform.", ""):
        found = _core.get_global(prefix + name)
        if found is not None:
            made: Pass = found()
            return made
    return wrap(_core.make_pass(name, {}))


def _required(required: Any) -> list[str]:
    required = [] if required is None else required
    if not isinstance(required, (list, tuple)):
        raise TypeError("Required is expected to be the type of " + "list/tuple.")
    return list(required)


def _wrap_class(base: Any, cls: Any, method: str, info: PassInfo) -> Callable[..., Any]:
    """A pass class around a user's class that has `method`."""
    if not callable(getattr(cls, method, None)):
        raise TypeError(f"{cls.__name__} has no method {method}: is it indented inside of another one?")

    class PyPass(base):  # type: ignore[misc]  # One of several kinds of passes.
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            Pass.__init__(self, info=info)
            inst = cls(*args, **kwargs)
            function = getattr(inst, method)
            self._inst = inst
            self._body = lambda *arguments: function(*arguments)

        def __getattr__(self, name: str) -> Any:
            if name == "_inst":
                raise AttributeError(name)
            return getattr(self._inst, name)

    PyPass.__init__.__doc__ = cls.__init__.__doc__
    PyPass.__name__ = cls.__name__
    PyPass.__doc__ = cls.__doc__
    PyPass.__module__ = cls.__module__
    return PyPass


def _decorator(base: Any, method: str, kind: str) -> _Decorator:
    def make(pass_func: Callable[..., Any] | None = None, opt_level: int | None = None, name: str | None = None,
             required: Any = None, traceable: bool = False) -> Any:
        if opt_level is None:
            raise ValueError(f"Please provide opt_level for the {kind} pass.")
        required = _required(required)

        def create(pass_arg: Callable[..., Any]) -> Any:
            info = PassInfo(opt_level, name if name else pass_arg.__name__, required, traceable)
            if isinstance(pass_arg, type):
                return _wrap_class(base, pass_arg, method, info)
            if not callable(pass_arg):
                raise TypeError("pass_func must be a callable for Module pass")
            made = base.__new__(base)
            Pass.__init__(made, info=info)
            made._body = pass_arg
            return made

        if pass_func is not None and not callable(pass_func):
            raise TypeError(f"pass_func must be a callable for {kind.capitalize()} pass")
        return create(pass_func) if pass_func is not None else create

    return make


module_pass = _decorator(ModulePass, "transform_module", "module")
module_pass.__doc__ = """Makes a module pass of `f(mod, ctx)` or of a class with `transform_module(mod, ctx)`.

>>> @transform.module_pass(opt_level=1)
... def keep_main(mod, ctx):
...     return relayopt.IRModule({"main": mod["main"]})
>>> mod = relay.parse('''
... #[version = "0.0.5"]
... def @main() { 1 }
... def @other() { 2 }
... ''')
>>> keep_main(mod).get_global_vars()
[I.GlobalVar("main")]
"""
function_pass = _decorator(FunctionPass, "transform_function", "function")
function_pass.__doc__ = """Makes a function pass of `f(func, mod, ctx)` or of a class with `transform_function(func, mod, ctx)`.

>>> @transform.function_pass(opt_level=1)
... class AddTo:
...     def __init__(self, number):
...         self.number = number
...     def transform_function(self, func, mod, ctx):
...         return relay.Function(func.params, func.body + relay.const(self.number))
>>> mod = relay.parse('#[version = "0.0.5"] def @main(%x: int32) { %x }')
>>> AddTo(3)(mod)["main"].body
<Call add(%x, constant) int32>
>>> transform.function_pass(lambda func, mod, ctx: None, opt_level=0, name="Nothing")(mod)
Traceback (most recent call last):
    ...
TypeError: the pass Nothing must return a Function, not None
"""


class PrimFuncPass(Pass):
    """A pass on the functions of the low level; a module of Relay functions has none.

    >>> from relayopt.ir.transform import prim_func_pass
    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 }')
    >>> prim_func_pass(lambda func, mod, ctx: func, opt_level=0, name="Same")(mod)["main"].body
    <Constant int32[] int32>
    """

    type_key = "tir.PrimFuncPass"

    def _kind(self) -> str:
        return "PrimFunc"

    def _run(self, mod: IRModule, context: PassContext) -> IRModule:
        return mod


prim_func_pass = _decorator(PrimFuncPass, "transform_function", "function")


def PrintIR(header: str = "", show_meta_data: bool = False) -> Pass:
    """A pass that writes the module to the standard error stream.

    >>> mod = relayopt.IRModule.from_expr(relay.const(1))
    >>> same = transform.PrintIR("before")(mod)  # Writes to the standard error stream.
    >>> same is mod
    True
    """

    def run(mod: IRModule, ctx: PassContext) -> IRModule:
        import os

        text = f"PrintIR({header}):\n{mod.astext(show_meta_data) if show_meta_data else str(mod)}\n"
        sys.stderr.flush()
        os.write(2, text.encode())
        return mod

    return module_pass(run, opt_level=0, name="PrintIR")


def ApplyPassToFunction(transform: Pass, func_name_regex: str,
                        error_if_no_function_matches_regex: bool = False) -> Pass:
    """Runs a pass on the functions whose names match.

    >>> mod = relay.parse('''
    ... #[version = "0.0.5"]
    ... def @main() { 1 + 2 }
    ... def @other() { 3 + 4 }
    ... ''')
    >>> mod = transform.ApplyPassToFunction(relay.transform.FoldConstant(), "oth.*")(mod)
    >>> mod["main"].body, mod["other"].body
    (<Call add(constant, constant) int32>, <Constant int32[] int32>)
    """
    import re

    expect("transform", transform, Pass, "a pass")
    as_bool("error_if_no_function_matches_regex", error_if_no_function_matches_regex)

    def run(mod: IRModule, ctx: PassContext) -> IRModule:
        matched = [v for v in mod.get_global_vars() if re.fullmatch(func_name_regex, v.name_hint)]
        if not matched and error_if_no_function_matches_regex:
            raise ValueError(f"no function matches {func_name_regex}")
        new = transform(mod, ctx)
        result = mod._copy()
        for var in matched:
            result._add(var, new[var.name_hint])
        return result

    return module_pass(run, opt_level=0, name=f"ApplyPassTo{transform.info.name}")


def override_instruments(*args: Any) -> Any:
    return PassContext.current().override_instruments(*args)
