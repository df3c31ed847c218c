"""Parameters for networks."""

from __future__ import annotations

import numpy as np

from ...ir.module import IRModule
from ..transform import InferType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.expr import RelayExpr
    from ...runtime.ndarray import NDArray


class Initializer:
    """Fills an array by the name of its parameter."""

    def __call__(self, desc: str, arr: np.ndarray[Any, Any]) -> None:
        for suffix in ("weight", "bias", "gamma", "beta", "mean", "var"):
            if desc.endswith(suffix):
                getattr(self, "_init_" + suffix)(desc, arr)
                return
        raise ValueError(f"Unknown initialization pattern for {desc}.")

    def _init_bias(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[:] = 0.0

    def _init_gamma(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[:] = 1.0

    def _init_beta(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[:] = 0.0

    def _init_mean(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[:] = 0.0

    def _init_var(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[:] = 1.0

    def _init_weight(self, name: Any, arr: Any) -> Any:
        raise NotImplementedError()


class Xavier(Initializer):
    """Random weights, scaled by the number of inputs and outputs."""

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: int = 3) -> None:
        self.rnd_type, self.factor_type, self.magnitude = rnd_type, factor_type, float(magnitude)

    def _init_weight(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        shape = arr.shape
        scale = 1.0
        if len(shape) > 2:
            scale = float(np.prod(shape[2:]))
        fan_in, fan_out = shape[1] * scale, shape[0] * scale
        factor = {"avg": (fan_in + fan_out) / 2.0, "in": fan_in, "out": fan_out}[self.factor_type]
        if "depthwise" in name:
            factor = 3 * 3
        limit = np.sqrt(self.magnitude / factor)
        if self.rnd_type == "uniform":
            arr[:] = np.random.uniform(-limit, limit, size=arr.shape)
        else:
            arr[:] = np.random.normal(0, limit, size=arr.shape)


class Constant(Initializer):
    """Every weight the same."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def _init_weight(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[:] = self.value


def create_workload(net: RelayExpr, initializer: Any = None, seed: int = 0) -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of a function: every parameter but `data` gets random numbers."""
    from ...runtime.ndarray import array

    mod = InferType()(IRModule.from_expr(net))
    initializer = initializer if initializer else Xavier()
    np.random.seed(seed)
    params = {}
    for param in mod["main"].params:
        if param.name_hint == "data":
            continue
        typ = param.type_annotation
        value = np.zeros(typ.concrete_shape).astype(typ.dtype)
        initializer(param.name_hint, value)
        params[param.name_hint] = array(value)
    return mod, params
