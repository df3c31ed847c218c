"""Quantization: partition, annotation, calibration, realization."""

from __future__ import annotations

import collections.abc
import warnings

from ... import _core
from ..._arguments import as_list, expect
from ...ir.module import IRModule
from ...ir.transform import make_pass, PassContext, Sequential

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


    from ...ir.transform import Pass

_DEFAULTS = {
    "nbit_input": 8, "nbit_weight": 8, "nbit_activation": 32, "dtype_input": "int8", "dtype_weight": "int8",
    "dtype_activation": "int32", "calibrate_mode": "global_scale", "global_scale": 8.0, "weight_scale": "power2",
    "skip_dense_layer": True, "skip_conv_layers": [0], "do_simulation": False, "round_for_shift": True,
    "debug_enabled_ops": None, "rounding": "UPWARD", "calibrate_chunk_by": -1, "partition_conversions": "disabled",
}


class QConfig:
    """The settings of quantization; entered by `with`."""

    _stack: list[Any] = []

    def __init__(self, **settings: Any) -> None:
        values = dict(_DEFAULTS)
        for key, value in settings.items():
            if key not in values:
                # As TVM, which says nothing.
                warnings.warn(f"unknown quantization setting {key}", stacklevel=3)
                continue
            values[key] = value
        self.__dict__["_values"] = values

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        raise AttributeError(name)

    def __setattr__(self, name: Any, value: Any) -> None:
        if name in self._values:
            raise AttributeError(f"'{type(self)}' object cannot set attribute '{name}'")
        super().__setattr__(name, value)

    def guard(self, ref_call: Any) -> bool:
        """Whether a call is quantized at all."""
        names = self.debug_enabled_ops
        return names is None or getattr(ref_call.op, "name", None) in [str(n) for n in names]

    def __enter__(self) -> QConfig:
        QConfig._stack.append(self)
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        QConfig._stack.pop()


_default = QConfig()


def current_qconfig() -> QConfig:
    """The innermost settings."""
    return QConfig._stack[-1] if QConfig._stack else _default


def qconfig(**kwargs: Any) -> QConfig:
    """Settings; those that are not given have their defaults.

    >>> with relay.quantize.qconfig(nbit_input=8, global_scale=4.0) as config:
    ...     config.global_scale
    4.0
    """
    return QConfig(**kwargs)


def _options(name: str) -> dict[str, Any]:
    config = current_qconfig()
    known = {option[0] for row in _core.pass_table() if row["name"] == name for option in row["options"]}
    values = {}
    for key, value in config._values.items():
        if key not in known or value is None:
            continue
        if key == "skip_conv_layers":
            import json

            value = json.dumps([int(v) for v in value])
        elif isinstance(value, (list, tuple)):
            value = [str(v) for v in value]
        values[key] = value
    if "skip_conv_layers" in known and config.skip_conv_layers is None:
        values["skip_conv_layers"] = "[]"
    return values


def _core_pass(name: str, **more: Any) -> Pass:
    options = _options(name)
    options.update(more)
    return make_pass(name, **{k: v for k, v in options.items() if v is not None})


def partition() -> Pass:
    """Marks what is computed on integers."""
    return _core_pass("QuantizePartition")


def annotate() -> Pass:
    """Puts simulated quantization around operators."""
    return _core_pass("QuantizeAnnotate")


def calibrate(dataset: Any = None) -> Any:
    """Chooses scales."""
    return _with_dataset("QuantizeCalibrate", dataset)


def realize() -> Pass:
    """Computes on integers."""
    return _core_pass("QuantizeRealize")


def _with_dataset(name: str, dataset: Any,
                  mod: IRModule | None = None) -> Pass:
    """A pass whose data for calibration are files: one .npz an entry. Arrays get the dtypes of the module's parameters, and
    what is for no parameter is left out, as when a model is run; the files live as long as the pass."""
    if dataset is None:
        return _core_pass(name, dataset=None)
    import os
    import shutil
    import tempfile
    import weakref

    import numpy as np

    params = {} if mod is None else {p.name_hint: p.type_annotation for p in mod["main"].params}

    def array(key: str, value: Any) -> Any:
        value = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
        dtype = getattr(params.get(key), "dtype", None)
        return value if dtype is None else value.astype(dtype, copy=False)

    folder = tempfile.mkdtemp(prefix="relayopt-calibration-")
    paths = []
    for i, entry in enumerate(as_list("dataset", dataset, "a list of dicts of arrays by name")):
        expect("an entry of dataset", entry, collections.abc.Mapping, "a dict of arrays by name")
        path = os.path.join(folder, f"{i}.npz")
        np.savez(path, **{key: array(key, value) for key, value in entry.items() if mod is None or key in params})
        paths.append(path)
    made = _core_pass(name, dataset=paths)
    weakref.finalize(made, shutil.rmtree, folder, True)
    return made


def prerequisite_optimize(mod: IRModule, params: Mapping[str, Any] | None = None) -> IRModule:
    """What comes before quantization, in the current context."""
    from ..build_module import module_with_params
    from ..transform import CanonicalizeOps, FoldConstant, FoldScaleAxis, SimplifyInference

    mod = module_with_params(mod, params, "mod")
    return Sequential([SimplifyInference(), FoldConstant(), FoldScaleAxis(), CanonicalizeOps(), FoldConstant()])(mod)


def quantize(mod: IRModule, params: Mapping[str, Any] | None = None,
             dataset: Iterable[Mapping[str, Any]] | None = None) -> IRModule:
    """A module that computes on integers what the settings allow.

    `dataset` is an iterable of {name: array} for the calibration modes "kl_divergence" and "percentile". With
    `partition_conversions` the module gets functions of their own for the conversions of arguments and results; an
    AssertionError says what stays in floats where all is to be integers.

    >>> x, w = relay.var("x", shape=(1, 16, 8, 8)), relay.var("w", shape=(16, 16, 3, 3))
    >>> mod = relayopt.IRModule.from_expr(relay.nn.conv2d(x, w, kernel_size=(3, 3), channels=16))
    >>> with relay.quantize.qconfig(skip_conv_layers=[], global_scale=4.0):
    ...     mod = relay.quantize.quantize(mod, {"w": np.ones((16, 16, 3, 3), "float32")})
    >>> "int8" in relay.analysis.all_dtypes(mod["main"])
    True
    """
    from ..transform import FoldConstant

    config = current_qconfig()
    if config.partition_conversions != "disabled":
        from ..build_module import module_with_params

        mod = module_with_params(mod, params, "mod")
        return _with_dataset("Quantize", dataset, mod)(mod)
    mod = prerequisite_optimize(mod, params)
    steps = [partition(), annotate(), _with_dataset("QuantizeCalibrate", dataset, mod), make_pass("InferType")]
    if not config.do_simulation:
        steps.append(realize())
    steps.append(FoldConstant())
    with PassContext(opt_level=3, required_pass=["QuantizeAnnotate", "QuantizeCalibrate", "QuantizeRealize"]):
        return Sequential(steps)(mod)
