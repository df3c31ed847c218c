"""Which convolutions ConvertLayout leaves alone."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class LayoutConfig:
    """Leaves convolutions out of ConvertLayout: those with the numbers in `skip_layers`."""

    current: LayoutConfig | None = None

    def __init__(self, skip_layers: Sequence[int] | None = None) -> None:
        self.skip_counter = 0
        self.skip_layers: Sequence[int] = skip_layers if skip_layers is not None else []

    def check_skip(self) -> bool:
        skip = self.skip_counter in self.skip_layers
        self.skip_counter += 1
        return skip

    def reset(self) -> None:
        self.skip_counter = 0
        self.skip_layers = []

    def __enter__(self) -> LayoutConfig:
        self._old = LayoutConfig.current
        LayoutConfig.current = self
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        LayoutConfig.current = self._old
