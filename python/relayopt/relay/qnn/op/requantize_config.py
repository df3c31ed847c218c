"""How requantizations that do not say it themselves are computed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEFAULTS = {"rounding": "UPWARD", "compute_dtype": "int64"}


class RequantizeConfig:
    """The rounding and the data type of requantizations; entered by `with`."""

    _stack: list[RequantizeConfig] = []
    rounding: str
    compute_dtype: str

    def __init__(self, **settings: str) -> None:
        for name, default in _DEFAULTS.items():
            self.__dict__[name] = settings.get(name, default)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _DEFAULTS:
            raise AttributeError(f"'{type(self)}' object cannot set attribute '{name}'")
        super().__setattr__(name, value)

    def __enter__(self) -> RequantizeConfig:
        RequantizeConfig._stack.append(self)
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        RequantizeConfig._stack.pop()


def entered() -> RequantizeConfig | None:
    """The innermost settings that somebody has entered."""
    return RequantizeConfig._stack[-1] if RequantizeConfig._stack else None


def current_requantize_config() -> RequantizeConfig:
    """The innermost settings."""
    return entered() or RequantizeConfig()


def requantize_config(**kwargs: str) -> RequantizeConfig:
    """Settings; those that are not given have their defaults.

    >>> with relay.qnn.op.requantize_config(rounding="TONEAREST"):
    ...     relay.qnn.op.current_requantize_config().rounding
    'TONEAREST'
    """
    return RequantizeConfig(**kwargs)
