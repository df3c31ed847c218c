"""Models in files of every format, pipelines over them, and what they cost: the tool, as functions of Python."""

from __future__ import annotations

import os
import sys

from . import _core
from ._arguments import as_bool, MOST_SETS, as_dict, as_float, as_int, as_list, as_path, as_text
from ._ffi import provide, provided
from .instrument import PassInstrument, Remarks, Statistics
from .ir.module import expect_module, IRModule
from .ir.transform import Pass, PassContext, Sequential, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, IO

    from .instrument import Remark

# A level above that of every pass, as the tool has it.
_EVERY_PASS = 5


def formats() -> list[tuple[str, str, list[str], bool, bool]]:
    """All formats: name, title, endings of file names, whether it can be read, whether it can be written.

    >>> [name for name, _, _, reads, writes in relayopt.formats() if reads and writes]
    ['text', 'onnx', 'tvm-json', 'bin']
    """
    return [(name, title, endings.split(), reads, writes) for name, title, endings, reads, writes in _core.format_table()]


def is_path(text: str) -> bool:
    """Whether a text names a file: one that is there, or that has the ending of a format."""
    endings = {ending for _, _, names, _, _ in formats() for ending in names}
    return "\n" not in text and (os.path.isfile(text) or os.path.splitext(text)[1] in endings)


def _extents(name: str, shape: Any) -> list[int | None]:
    extents = as_list(f"the shape of {name}", shape, "a list of extents")
    return [None if extent is None else as_int(f"an extent of {name}", extent) for extent in extents]


def _format(name: str | None) -> str:
    """The name of a format as the core has it, which recognizes the format where there is none."""
    if name == "":
        raise ValueError("format is the name of a format, not ''")
    return "" if name is None else as_text("format", name, "the name of a format")


def _read(read: Any, source: Any, format: str | None, opset: Any, freeze_params: bool, keep: bool, **given: Any) -> IRModule:
    """What `read` makes of a source, with options for ONNX models."""
    format = _format(format)
    readers: dict[str, Callable[[str, Any], Any]] = {
        "shapes": _extents, "dims": lambda name, extent: as_int(f"the extent {name}", extent),
        "dtypes": lambda name, dtype: as_text(f"the data type of {name}", dtype, "a name")}
    options: dict[str, Any] = {"transposed_batch_matmul": True, "opset": None if opset is None else as_int("opset", opset, 1),
                               "freeze_params": as_bool("freeze_params", freeze_params), "keep": as_bool("keep", keep)}
    for option, value in given.items():
        options[option] = {str(name): readers[option](str(name), each) for name, each in as_dict(option, value).items()}
    mod, params = read(*source, format, options)
    useless = [name for name in (*given, "opset") if options[name]]
    if useless and params is None:
        raise ValueError(f"{', '.join(useless)}: for ONNX models only, and this is not one")
    module: IRModule = mod
    return module


def load(path: str | os.PathLike[str], format: str | None = None, *, shapes: Mapping[str, Sequence[int | None]] | None = None,
         dims: Mapping[str, int] | None = None, dtypes: Mapping[str, str] | None = None, opset: int | None = None,
         freeze_params: bool = True, keep: bool = False) -> IRModule:
    """Reads a model: Relay text, TVMScript, ONNX, TVM's JSON or the binary form, compressed or not, with inferred types.

    The first bytes and the ending of the name say which format it is, unless `format` does. The other arguments are for
    ONNX: shapes of inputs (None for an unknown extent), values of symbolic extents, element types, the version of the
    operators, whether weights become constants or parameters, and with `keep` whether nodes that are more than one call of
    Relay stay what they are, which is for modules that become ONNX again: what `relayopt MODEL -o NEW.onnx` does.

    >>> relayopt.save(relayopt.IRModule.from_expr(relay.const(1)), "/tmp/one.relay")
    >>> relayopt.load("/tmp/one.relay")["main"].body
    <Constant int32[] int32>
    >>> relayopt.load("/tmp/none.relay")
    Traceback (most recent call last):
        ...
    OSError: cannot read '/tmp/none.relay': No such file or directory
    """
    return _read(_core.read_path, (as_path("path", path),), format, opset, freeze_params, keep, shapes=shapes, dims=dims,
                 dtypes=dtypes)


def loads(text: str | bytes, name: str = "<string>", format: str | None = None, *,
          shapes: Mapping[str, Sequence[int | None]] | None = None, dims: Mapping[str, int] | None = None,
          dtypes: Mapping[str, str] | None = None, opset: int | None = None, freeze_params: bool = True,
          keep: bool = False) -> IRModule:
    """Reads a model from text or bytes, as `load` does. `name` stands for the file name in messages.

    >>> print(relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { exp(%x) }'))
    def @main(%x: Tensor[(2), float32] /* ty=Tensor[(2), float32] */) -> Tensor[(2), float32] {
      exp(%x) /* ty=Tensor[(2), float32] */
    }
    """
    if not isinstance(text, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"a model is read from str or bytes, not from {type(text).__name__}")
    if isinstance(text, str) and is_path(text):
        raise ValueError(f"'{text}' is the name of a file, which relayopt.load reads")
    data = as_text("text", text).encode() if isinstance(text, str) else bytes(text)
    return _read(_core.read_bytes, (data, as_path("name", name)), format, opset, freeze_params, keep, shapes=shapes, dims=dims,
                 dtypes=dtypes)


def _write(mod: IRModule, format: str | None, path: str, opset: int | None, external: bool,
           types: bool) -> tuple[bytes, list[tuple[str, bytes]], bool]:
    expect_module(mod, "saved")
    opset = None if opset is None else as_int("opset", opset)
    written: tuple[bytes, list[tuple[str, bytes]], bool] = _core.write_module(
        mod, _format(format), path, opset, as_bool("external", external), as_bool("types", types))
    return written


def _replace(path: str, data: bytes) -> None:
    """Writes a file that appears whole or not at all."""
    import tempfile

    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix="." + os.path.basename(path))
    except OSError as error:
        # Of the file that was asked for, and not of one that nobody knows.
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def save(mod: IRModule, path: str | os.PathLike[str], format: str | None = None, *, opset: int | None = None,
         external: bool = False) -> None:
    """Writes a module in the format that the ending of the name, or `format`, says: `.relay`, `.json`, `.onnx`, `.py` ...
    With another ending `.gz`, `.xz` or `.zst` it is compressed.

    `opset` is the version of operators in ONNX; with `external`, weights go to a file beside the model. Files appear whole
    or not at all; files that belong to the model (weights, arrays of a Relax module) stand beside it.

    >>> mod = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { exp(%x) }')
    >>> relayopt.save(mod, "/tmp/exp.onnx")
    >>> relayopt.load("/tmp/exp.onnx")["main"].body
    <Call exp(%x) Tensor[(2), float32]>
    """
    path = as_path("path", path)
    data, companions, _ = _write(mod, format, path, opset, external, types=True)
    for name, content in companions:
        _replace(name, content)
    _replace(path, data)


def dumps(mod: IRModule, format: str = "text", *, opset: int | None = None, types: bool = True) -> str | bytes:
    """The module in a format: a str, or bytes where the format is binary.

    >>> type(relayopt.dumps(relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { exp(%x) }'), "onnx")).__name__
    'bytes'
    """
    if not isinstance(format, str):
        raise TypeError(f"a format is the name of one, not a {type(format).__name__}")
    data, companions, is_text = _write(mod, format, "", opset, False, types)
    if companions:
        raise ValueError(f"a module in the format '{format}' has files beside it: use save")
    return data.decode() if is_text else data


def print_module(mod: IRModule, format: str = "text", *, types: bool = True, file: IO[str] | None = None) -> None:
    """Prints the module as the tool does.

    >>> relayopt.print(relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { exp(%x) }'), types=False)
    #[version = "0.0.5"]
    def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
      exp(%x)
    }
    """
    text = dumps(mod, format, types=types)
    if isinstance(text, bytes):
        raise ValueError(f"the format '{format}' is binary: use save or dumps")
    stream = sys.stdout if file is None else file
    if not hasattr(stream, "write"):
        raise TypeError(f"file is an open file, not {file!r}: relayopt.save writes to a path")
    stream.write(text)


def pipeline(text: str) -> Pass:
    """The pass that a pipeline text stands for, as `relayopt --passes` takes it: "FoldConstant,FuseOps", "default<O3>".

    >>> mod = relay.parse('#[version = "0.0.5"] def @main() { 1 + 2 }')
    >>> relayopt.pipeline("FoldConstant,FuseOps")(mod)["main"].body
    <Constant int32[] int32>
    >>> relayopt.pipeline(" FoldConstant, FuseOps ").pipeline_text
    'FoldConstant,FuseOps'
    >>> relayopt.pipeline("FoldConstnat")
    Traceback (most recent call last):
        ...
    relayopt.error.DiagnosticError: unknown pass 'FoldConstnat' (did you mean 'FoldConstant'?)
    """
    if not isinstance(text, str):
        raise TypeError(f"a pipeline is text, not a {type(text).__name__}")
    text = as_text("a pipeline", text)
    made = wrap(_core.make_pipeline(text))
    made.pipeline_text = _core.canonical_pipeline(text)
    return made


def pass_of(passes: str | Pass | Sequence[Any]) -> Pass:
    """One pass for what functions take as passes: a text, a pass, or a list of either."""
    if isinstance(passes, Pass):
        return passes
    if isinstance(passes, str):
        return pipeline(passes)
    # Says what is wrong with what is no pass.
    listed = passes if isinstance(passes, (list, tuple)) else [passes]
    return Sequential([pipeline(each) if isinstance(each, str) else each for each in listed])


def run(mod: IRModule, passes: str | Pass | Sequence[Any], *, opt_level: int | None = None, **context: Any) -> IRModule:
    """Runs a pipeline over a module, as the tool does, and returns the result; `mod` stays as it is.

    `passes` is a text for `pipeline`, a pass, or a list of passes. `opt_level` is above that of every pass unless it is
    given; other keywords are those of `transform.PassContext` (`target`, `threads`, `strict_fp`, `config` ...).

    >>> mod = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { %0 = nn.relu(%x); %1 = nn.relu(%x); add(%0, %1) }')
    >>> relayopt.run(mod, "EliminateCommonSubexpr")["main"].body
    <Call add(call, call) Tensor[(2), float32]>
    >>> program = relayopt.loads('''@T.prim_func
    ... def main(A: T.Buffer((4,), "int32")):
    ...     for i in range(4):
    ...         A[i] = i // 4
    ... ''', name="zero.py")
    >>> "A[i] = 0" in relayopt.run(program, "tir.Simplify")["main"].script()
    True
    """
    with PassContext(opt_level=_EVERY_PASS if opt_level is None else opt_level, **context):
        result: IRModule = pass_of(passes)(mod)
    return result


def _json(text: str) -> Any:
    import json

    return json.loads(text)


class Summary:
    """What a module costs, layer by layer. `data` has the numbers; printing it gives the tool's table."""

    def __init__(self, table: str, data: dict[str, Any]) -> None:
        self.table, self.data = table, data

    def __repr__(self) -> str:
        return self.table.rstrip("\n")

    def __getitem__(self, key: str) -> Any:
        return self.data[key]


def summary(mod: IRModule) -> Summary:
    """What a module costs: operators, kernels, multiply-accumulates, parameters, bytes.

    >>> mod = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) { nn.dense(%x, %w, units=None) }')
    >>> relayopt.summary(mod)["total"]["macs"]
    24
    """
    expect_module(mod)
    return Summary(_core.summary_table(mod), _json(_core.summary_json(mod)))


class Difference:
    """How two modules differ, structurally. True if they do."""

    def __init__(self, text: str, data: dict[str, Any]) -> None:
        self.text, self.data = text, data

    def __bool__(self) -> bool:
        return bool(self.text)

    def __repr__(self) -> str:
        return self.text.rstrip("\n") or "no difference"

    def _repr_html_(self) -> str:
        page: str = provided("views")().difference_html(repr(self))
        return page


def diff(before: IRModule, after: IRModule) -> Difference:
    """How the structure of two modules differs: names of variables and spans do not count.

    >>> one = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }')
    >>> two = relayopt.loads('#[version = "0.0.5"] def @main(%y: Tensor[(2), float32]) { nn.relu(%y) }')
    >>> relayopt.diff(one, two)
    no difference
    """
    expect_module(before)
    expect_module(after)
    return Difference(_core.diff_text(before, after), _json(_core.diff_json(before, after)))


class Equivalence:
    """Whether two modules computed the same. True if they did; `outputs` says of each output how far they are apart."""

    def __init__(self, agrees: bool, text: str, outputs: list[dict[str, Any]]) -> None:
        self.agrees, self.text, self.outputs = agrees, text, outputs

    def __bool__(self) -> bool:
        return self.agrees

    def __repr__(self) -> str:
        return self.text + ("same" if self.agrees else "DIFFERENT")


def equiv(before: IRModule, after: IRModule, inputs: Mapping[str, Any] | Sequence[Any] | None = None, *, seed: int = 0,
          sets: int = 1, rtol: float | None = None, atol: float | None = None) -> Equivalence:
    """Evaluates two modules on the same arguments and compares the results, as the tool does with --equiv.

    `inputs`: arrays by name of parameter, or in order; those that are not given are made of `seed`, `sets` times. Without tolerances, they
    depend on the types of the results. Tensor programs are compared function by function.

    >>> one = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { %x + %x }')
    >>> two = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { %x * 2f }')
    >>> bool(relayopt.equiv(one, two))
    True
    >>> three = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { %x * 3f }')
    >>> relayopt.equiv(one, three, {"x": np.ones(2, "float32")}).outputs[0]["max_absolute"]
    1.0
    """
    expect_module(before)
    expect_module(after)
    from .relay.backend.interpreter import named_arguments

    tolerances = [None if each is None else as_float(name, each) for name, each in (("rtol", rtol), ("atol", atol))]
    return Equivalence(*_core.equiv(before, after, named_arguments(before, inputs), as_int("seed", seed),
                                    as_int("sets", sets, 1, MOST_SETS), *tolerances))


class Overview:
    """What passes made of a module: `module`, whether it computes the same, and the totals `before` and `after`."""

    def __init__(self, module: IRModule, text: str, data: dict[str, Any], equivalence: Equivalence) -> None:
        self.module, self.text, self.equivalence = module, text, equivalence
        self.before, self.after = data["before"], data["after"]

    def __repr__(self) -> str:
        return self.text.rstrip("\n")


class _Observed(PassInstrument):
    def __init__(self, observer: Any) -> None:
        super().__init__()
        self._observer = observer


def overview(mod: IRModule, passes: str | Pass | Sequence[Any], *, seed: int = 0, **context: Any) -> Overview:
    """Runs passes and says what they did: totals before and after, whether the results are the same, a line for each pass.

    Keywords are those of `run`.

    >>> mod = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { %0 = nn.relu(%x); %1 = nn.relu(%x); add(%0, %1) }')
    >>> found = relayopt.overview(mod, "EliminateCommonSubexpr")
    >>> found.before["operators"], found.after["operators"], bool(found.equivalence)
    ({'add': 1, 'nn.relu': 2}, {'add': 1, 'nn.relu': 1}, True)
    """
    expect_module(mod)
    observer = _core.Overview()
    seed = as_int("seed", seed)
    made = run(mod, passes, **_with(context, _Observed(observer)))
    _, text, data, agreement = _core.overview(mod, made, observer, seed)
    return Overview(made, text, _json(data), Equivalence(*agreement))


class Report:
    """What each pass made of a module: `module` is the result, `data` what docs/report.md describes.

    Notebooks show the page; `save` writes it, or with the ending `.json` the data.
    """

    def __init__(self, module: IRModule, text: str) -> None:
        self.module, self._json = module, text

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = _json(self._json)
        return found

    @property
    def page(self) -> str:
        """The HTML page, which needs nothing beside it."""
        made: str = _core.report_page(self._json)
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, or the data to a file whose name ends in `.json`."""
        path = as_path("path", path)
        _replace(path, (self._json if path.endswith(".json") else self.page).encode())

    def __repr__(self) -> str:
        steps = self.data["passes"]
        changed = sum(1 for step in steps if step["before"] != step["after"])
        return f"<Report of {len(steps)} passes, of which {changed} changed the module>"

    def _repr_html_(self) -> str:
        import html

        return f"<iframe srcdoc='{html.escape(self.page)}' style='width: 100%; height: 720px; border: 0'></iframe>"


def report(mod: IRModule, passes: str | Pass | Sequence[Any], *, name: str = "module", **context: Any) -> Report:
    """Runs passes and keeps what each made of the module, with its times, remarks and costs: the report of the tool.

    Keywords are those of `run`; `name` is what the page calls the module.

    >>> mod = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { %0 = nn.relu(%x); %1 = nn.relu(%x); add(%0, %1) }')
    >>> found = relayopt.report(mod, "EliminateCommonSubexpr,FoldConstant")
    >>> found
    <Report of 2 passes, of which 1 changed the module>
    >>> [step["name"] for step in found.data["passes"] if step["before"] != step["after"]]
    ['EliminateCommonSubexpr']
    >>> found.save("/tmp/report.html")
    """
    expect_module(mod)
    name = as_text("name", name)
    recorder, log = _core.RunRecorder(), Remarks()
    observers = _with(_with(context, _Observed(recorder)), log)
    listed = passes if isinstance(passes, (list, tuple)) else [passes]
    made = mod if isinstance(passes, str) and passes == "" or not listed else run(mod, passes, **observers)
    text = ", ".join(each if isinstance(each, str) else each.info.name for each in listed)
    return Report(made, _core.report_json(mod, recorder, log._observer, f"relayopt.report({name}, {text!r})", name, text))


def _with(context: dict[str, Any], instrument: PassInstrument) -> dict[str, Any]:
    """The keywords of a context with one more instrument."""
    given = context.get("instruments")
    others = [] if given is None else as_list("instruments", given, "a list of PassInstrument")
    return {**context, "instruments": [*others, instrument]}


def remarks(mod: IRModule, passes: str | Pass | Sequence[Any], **context: Any) -> list[Remark]:
    """What passes say about their work on a module; keywords are those of `run`.

    >>> mod = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { %0 = nn.relu(%x); %1 = nn.relu(%x); add(%0, %1) }')
    >>> [remark.kind for remark in relayopt.remarks(mod, "EliminateCommonSubexpr")]
    ['passed']
    """
    log = Remarks()
    run(mod, passes, **_with(context, log))
    return log.take()


def statistics(mod: IRModule, passes: str | Pass | Sequence[Any], **context: Any) -> dict[str, int]:
    """What passes counted, by `PASS.NAME`; keywords are those of `run`.

    >>> mod = relayopt.loads('#[version = "0.0.5"] def @main(%x: Tensor[(2), float32]) { %0 = nn.relu(%x); %1 = nn.relu(%x); add(%0, %1) }')
    >>> relayopt.statistics(mod, "EliminateCommonSubexpr")
    {'EliminateCommonSubexpr.merged': 1}
    """
    counted = Statistics()
    run(mod, passes, **_with(context, counted))
    return counted.counts


provide("load", load)
provide("loads", loads)
provide("pipeline", pipeline)
provide("save", save)
provide("diff", diff)
provide("report", report)
