"""Importers of models of other systems: ONNX's."""

from __future__ import annotations

from .onnx import from_onnx as from_onnx

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn


def __getattr__(name: str) -> Callable[..., NoReturn]:
    if not name.startswith("from_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def missing(*args: object, **kwargs: object) -> NoReturn:
        raise NotImplementedError(f"relay.frontend.{name}: relayopt reads Relay text, TVM's JSON and ONNX only")

    return missing
