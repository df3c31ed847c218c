"""Which pass breaks a module, and how small a module shows it."""

from __future__ import annotations

import dataclasses
import difflib
import html

from . import _core
from ._arguments import as_bool, MOST_SETS, as_float, as_int, as_text
from .ir.module import expect_module, IRModule
from .models import pass_of
from .ir.transform import get_pass, Pass, PassContext, Sequential

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_STYLE = "<style>.relayopt-fault td { text-align: left; } .relayopt-fault pre { text-align: left; }</style>"


def _diff(before: IRModule, after: IRModule) -> str:
    old, new = str(before).split("\n"), str(after).split("\n")
    return "\n".join(difflib.unified_diff(old, new, "before", "after", lineterm=""))


def _table(rows: Sequence[tuple[str, str]], details: Sequence[tuple[str, str]] = ()) -> str:
    """HTML: rows of a name and a text, then texts that open on a click."""
    shown = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in rows if text)
    folded = "".join(f"<details><summary>{html.escape(name)}</summary><pre>{html.escape(text)}</pre></details>"
                     for name, text in details if text)
    return f"{_STYLE}<div class='relayopt-fault'><table>{shown}</table>{folded}</div>"


@dataclasses.dataclass(frozen=True, repr=False)
class PassRun:
    """One run of a pass: its number among the runs of passes, its name, and the modules before and after it."""

    number: int
    name: str
    before: IRModule
    after: IRModule

    def diff(self) -> str:
        """What the run changed, as a unified difference of texts."""
        return _diff(self.before, self.after)

    def __repr__(self) -> str:
        return f"#{self.number} {self.name}"


@dataclasses.dataclass(frozen=True, repr=False)
class Validation:
    """Whether passes keep what a module computes. True when no run of a pass was found that does not."""

    first: PassRun | None
    """The first run that changes results."""
    message: str
    """The output, element and values that differ."""
    tally: str
    """How many runs were evaluated, and why others were not."""

    def __bool__(self) -> bool:
        return self.first is None

    def __repr__(self) -> str:
        return self.tally if self.first is None else f"{self.first} changes what the module computes: {self.message}"

    def _repr_html_(self) -> str:
        if self.first is None:
            return _table([("validate", self.tally)])
        return _table([("changes results", repr(self.first)), ("difference", self.message), ("all", self.tally)],
                      [("what it changed", self.first.diff())])


@dataclasses.dataclass(frozen=True)
class Rewrite:
    """The rewrite of a pass that brings a fault: number `number` of those that the debug counter `counter` counts."""

    counter: str
    number: int
    alone: bool
    """Whether it brings the fault by itself; otherwise those before it belong to it."""
    others_too: bool
    """Whether the others bring it without this one."""
    remarks: tuple[str, ...]
    """What the pass says of it."""


@dataclasses.dataclass(frozen=True, repr=False)
class Bisection:
    """The run of a pass that breaks a module. True when there is one."""

    guilty: PassRun | None
    what: str
    """What is wrong, or why nothing was found."""
    functions: tuple[str, ...] = ()
    """The functions that it changes, as far as that is known."""
    rewrite: Rewrite | None = None
    others_too: bool | None = None
    """Whether there is a fault without this run, too; None when that cannot be told."""
    trials: int = 0

    def __bool__(self) -> bool:
        return self.guilty is not None

    def _lines(self) -> list[tuple[str, str]]:
        lines = [("in", ", ".join("@" + name for name in self.functions))]
        if self.rewrite is not None:
            lines.append(("rewrite", f"{self.rewrite.counter} {self.rewrite.number}"
                          + ("" if self.rewrite.alone else " with those before it")
                          + "".join(": " + remark for remark in self.rewrite.remarks)))
        if self.others_too:
            lines.append(("also", "there is another fault without this run"))
        return [(name, text) for name, text in lines if text]

    def __repr__(self) -> str:
        if self.guilty is None:
            return f"nothing found: {self.what}"
        head = f"{self.guilty} is guilty" + (f": {self.what}" if self.what else "")
        return "\n".join([head, *(f"  {name} {text}" for name, text in self._lines())])

    def _repr_html_(self) -> str:
        if self.guilty is None:
            return _table([("nothing found", self.what)])
        return _table([("guilty", repr(self.guilty)), ("what", self.what), *self._lines()],
                      [("what it changed", self.guilty.diff())])


@dataclasses.dataclass(frozen=True, repr=False)
class Reduction:
    """A module, and a pipeline where one was given as text, that still show a fault and little else."""

    module: IRModule
    passes: str | None
    calls: int
    """Calls that are left."""
    tried: int
    kept: int
    out_of_time: bool

    def __repr__(self) -> str:
        passes = "" if self.passes is None else f", passes: {self.passes}"
        late = ", time is up" if self.out_of_time else ""
        return f"{self.calls} call{'' if self.calls == 1 else 's'}{passes} (in {self.kept} of {self.tried} steps{late})\n{self.module}"

    def _repr_html_(self) -> str:
        rows = [("calls", str(self.calls)), ("passes", self.passes or ""), ("steps", f"{self.kept} of {self.tried}")]
        return _table(rows) + self.module._repr_html_()


def _pieces(passes: Any, context: PassContext) -> list[Any]:
    """What the core makes a pass of: handles of its own passes, and those of Python as (level, name, callable)."""
    if isinstance(passes, str):
        return [_core.make_pipeline(as_text("a pipeline", passes))]
    if isinstance(passes, (list, tuple)):
        return [piece for each in passes for piece in _pieces(each, context)]
    if not isinstance(passes, Pass):
        raise TypeError(f"passes are a pipeline as text, a Pass, or a list of those, not {type(passes).__name__}")
    if isinstance(passes, Sequential):
        enabled = [each for each in passes.passes if context.pass_enabled(each.info)]
        return [piece for each in enabled for piece in _pieces(each, context)]
    needed = [get_pass(name)._handle for name in passes.info.required]
    if passes._handle is not None:
        return [*needed, passes._handle]
    return [*needed, (passes.info.opt_level, passes.info.name, lambda mod: passes(mod, context))]


def _trial(mod: IRModule, passes: Any) -> tuple[list[Any], dict[str, Any]]:
    """Passes and the context in which they run, as the core takes them."""
    context = PassContext.current()
    pieces = _pieces(passes, context)
    if not set(context._functions) <= set(_core.module_function_names(mod)):
        # Functions may be made by passes: an error if they are not.
        pass_of(passes)(mod)
    return pieces, context._for_core()


def _question(fault: str, predicate: Any, mod: IRModule, inputs: Any, seed: int, sets: int, edges: bool) -> dict[str, Any]:
    from .relay.backend.interpreter import named_arguments

    expect_module(mod)
    if predicate is not None and not callable(predicate):
        raise TypeError("a predicate is a function that takes a module")
    if fault not in ("validate", "crash", "verify"):
        raise ValueError(f"there is no fault '{fault}': validate, crash, verify")
    return {"fault": "predicate" if predicate is not None else fault, "predicate": predicate,
            "inputs": named_arguments(mod, inputs), "seed": as_int("seed", seed), "sets": as_int("sets", sets, 1, MOST_SETS),
            "edges": as_bool("edges", edges)}


def validate(mod: IRModule, passes: Any, inputs: Mapping[str, Any] | Sequence[Any] | None = None, *, seed: int = 0,
             sets: int = 1, edges: bool = False) -> Validation:
    """Runs passes and evaluates the module around each that changes it; the first that changes results, if any.

    `passes`: a pipeline as text, a Pass, or a list of those, which may be passes in Python; they run in the current
    context, whose level leaves out passes of a pipeline. `inputs`: arrays by name of
    parameter, or in order; those that are not given are made of `seed`, `sets` times, and with `edges` also of zeros,
    NaN, infinities and the ends of ranges. Raises the error of a pass that fails.

    >>> mod = relay.parse('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { tanh(%x + 1f) }')
    >>> with transform.PassContext(opt_level=4):
    ...     relayopt.validate(mod, "FoldConstant,FastMath,FuseOps")
    validate: 3 passes: 2 ok (1 bit-exact), 0 mismatches, 1 unchanged, 0 not validated
    >>> @transform.module_pass(opt_level=0, name="Wrong")
    ... def wrong(mod, ctx):
    ...     return relay.parse(mod.astext().replace("tanh", "exp"))
    >>> relayopt.validate(mod, ["FoldConstant", wrong], inputs=[np.zeros(2, "float32")])
    #2 Wrong changes what the module computes: output 0 [0]  expected 0.7615942  got 2.7182817  ...
    """
    question = _question("validate", None, mod, inputs, seed, sets, edges)
    found = _core.validate(mod, *_trial(mod, passes), question)
    first = found["first"]
    return Validation(None if first is None else PassRun(**first), found["message"], found["tally"].strip())


def bisect(mod: IRModule, passes: Any, predicate: Callable[[IRModule], bool | None] | None = None, *,
           fault: str = "validate", inputs: Mapping[str, Any] | Sequence[Any] | None = None, seed: int = 0,
           sets: int = 1, edges: bool = False) -> Bisection:
    """Finds the run of a pass that breaks a module, and the rewrite in it where the pass has a debug counter.

    `predicate(mod)` is true of a module that is bad, and None where it cannot tell; few modules are asked about. Without
    it `fault` says what is looked for: "validate" (another result; arguments as for `validate`), "verify" (a module that
    breaks a rule) or "crash" (in a process of its own).

    >>> mod = relay.parse('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { tanh(exp(%x)) }')
    >>> with transform.PassContext(opt_level=4):
    ...     found = relayopt.bisect(mod, "FoldConstant,FastMath,FuseOps", lambda mod: "fast_tanh" in mod.astext())
    >>> found
    #2 FastMath is guilty
      in @main
      rewrite FastMath.replaced 2: tanh became fast_tanh
    >>> found.guilty.number, found.rewrite.number
    (2, 2)
    >>> relayopt.bisect(mod, "FoldConstant,FuseOps")
    nothing found: no fault
    """
    question = _question(fault, predicate, mod, inputs, seed, sets, edges)
    found = _core.bisect(mod, *_trial(mod, passes), question)
    if found["verdict"] != "found":
        what = {"no fault": "no fault", "faulty input": "the module is bad before any pass runs"}
        return Bisection(None, what.get(found["verdict"], found["what"]), trials=found["trials"])
    rewrite = found["rewrite"]
    if rewrite is not None:
        rewrite = Rewrite(**{**rewrite, "remarks": tuple(rewrite["remarks"])})
    return Bisection(PassRun(**found["guilty"]), found["what"], tuple(found["functions"]), rewrite, found["others_too"],
                     found["trials"])


def reduce(mod: IRModule, passes: Any = None, predicate: Callable[[IRModule], bool] | None = None, *,
           fault: str = "validate", inputs: Mapping[str, Any] | Sequence[Any] | None = None, seed: int = 0,
           sets: int = 1, edges: bool = False, timeout: float = 600) -> Reduction:
    """Makes a module smaller as long as it shows a fault: functions, results, calls, bindings, extents and parameters go.

    With `passes`, the fault is what `bisect` looks for; passes that are given as text become fewer, too. With `predicate`
    (or a function in place of the passes) a module is kept where `predicate(mod)` is true; with both, of what the passes
    make of it. After `timeout` seconds the best so far is the result; 0: no limit. Raises ValueError where the module
    does not show it.

    >>> mod = relay.parse('''#[version = "0.0.5"]
    ... def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(4, 4), float32]) {
    ...   let %y = nn.dense(%x, %w, units=4);
    ...   (tanh(%y + 1f), nn.relu(%y))
    ... }''')
    >>> relayopt.reduce(mod, lambda mod: "tanh" in mod.astext())
    1 call (in ... of ... steps)
    def @main(%p0: Tensor[(1, 1), float32] ...) -> Tensor[(1, 1), float32] {
      tanh(%p0) ...
    }
    >>> with transform.PassContext(opt_level=4):
    ...     relayopt.reduce(mod, "FoldConstant,FastMath,FuseOps", lambda mod: "fast_tanh" in mod.astext()).passes
    'FastMath'
    """
    if callable(passes) and not isinstance(passes, Pass):
        passes, predicate = None, passes
    if passes is None and predicate is None:
        raise TypeError("reduce needs passes or a predicate")
    question = _question(fault, predicate, mod, inputs, seed, sets, edges)
    text = as_text("a pipeline", passes) if isinstance(passes, str) else None
    pieces, context = _trial(mod, [] if passes is None else passes)
    found = _core.reduce(mod, text, pieces, context, question, as_float("timeout", timeout))
    if not found["was_interesting"]:
        raise ValueError("the module does not show the fault: there is nothing to start from")
    return Reduction(found["module"], found["pipeline"], found["calls"], found["tried"], found["kept"],
                     found["out_of_time"])
