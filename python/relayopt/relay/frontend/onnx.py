"""Importing ONNX models."""

from __future__ import annotations

from ... import _core
from ..._arguments import as_bool, as_dict, as_int, as_list, as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ...ir.module import IRModule
    from ...runtime.ndarray import NDArray


def _serialized(model: Any) -> bytes:
    if isinstance(model, bytes):
        return model
    if not hasattr(model, "SerializeToString"):
        raise TypeError(f"from_onnx: model must be an onnx.ModelProto or its bytes, not {type(model).__name__}")
    serialized: bytes = model.SerializeToString()
    return serialized


def _extents(shape: Sequence[Any]) -> list[int | None]:
    """The extents; what is no number, as relay.Any(), is not known."""
    shape = as_list("the shape of an input", shape, "a list of extents")
    return [int(extent) if isinstance(extent, int) or hasattr(extent, "value") else None for extent in shape]


def from_onnx(model: Any, shape: Mapping[str, Sequence[Any]] | None = None, dtype: str | Mapping[str, str] = "float32",
              opset: int | None = None, freeze_params: bool = True, convert_config: Mapping[str, Any] | None = None,
              export_node_renamed_model_path: str | None = None) -> tuple[IRModule, dict[str, NDArray]]:
    """The module of an ONNX model, with types inferred, and its weights by name.

    `model` is an `onnx.ModelProto` or a serialized one; the package `onnx` itself is not needed. `shape` gives shapes of inputs
    and `dtype` element types of inputs by name, in the place of those in the model (one type for all is ignored, as in TVM);
    `opset` a version of the operator set. With `freeze_params` weights are constants of the module, and the dictionary is empty;
    otherwise they are parameters of `main` behind the inputs. `convert_config` may have `use_nt_batch_matmul`. What Relay cannot
    express is a `DiagnosticError` that names every such operator.
    """
    if export_node_renamed_model_path is not None:
        raise NotImplementedError("from_onnx: export_node_renamed_model_path is not supported")
    config = dict(convert_config or {})
    transposed = bool(config.pop("use_nt_batch_matmul", True))
    if config:
        raise ValueError(f"from_onnx: convert_config has no key {sorted(config)[0]!r} (there is use_nt_batch_matmul)")
    shapes = {as_text("the name of an input", name): _extents(extents) for name, extents in as_dict("shape", shape).items()}
    dtypes = {} if isinstance(dtype, str) else {
        as_text("the name of an input", name): as_text(f"the data type of {name}", each)
        for name, each in as_dict("dtype", dtype, "a data type, or a dict of them by name").items()}
    opset = None if opset is None else as_int("opset", opset, 1)
    options = {"shapes": shapes, "dtypes": dtypes, "dims": {}, "opset": opset, "keep": False, "transposed_batch_matmul": transposed,
               "freeze_params": as_bool("freeze_params", freeze_params)}
    module, params = _core.read_bytes(_serialized(model), "model.onnx", "onnx", options)
    return module, params
