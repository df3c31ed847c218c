"""Arguments of functions, checked under the names of their parameters."""

from __future__ import annotations

import collections.abc
import numbers
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What the core counts with.
_LARGEST = 2**63 - 1
# Of random arguments.
MOST_SETS = 10**6


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 and "\n" not in text else f"a {type(value).__name__}"


def expect(name: str, value: Any, kind: Any, what: str) -> None:
    """TypeError unless the value is of a kind."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {what}, not {_shown(value)}")


def as_text(name: str, value: Any, what: str = "a str") -> str:
    """A str that has a form in UTF-8."""
    expect(name, value, str, what)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} is not Unicode text: {error.reason} at {error.start} in {value!r}") from None
    return str(value)


def as_path(name: str, value: Any) -> str:
    """The path of a file as a str. Numbers, which `open` takes for open files, are none."""
    expect(name, value, (str, bytes, os.PathLike), "a str or an os.PathLike")
    path = as_text(name, os.fsdecode(value))
    if "\0" in path:
        raise ValueError(f"{name} has a null character: {path!r}")
    return path


def as_int(name: str, value: Any, least: int = 0, most: int = _LARGEST) -> int:
    """An int within bounds."""
    expect(name, value, numbers.Integral, "a number")
    if not least <= value <= most:
        bounds = f"from {least} on" if most == _LARGEST and value < least else f"from {least} to {most}"
        raise ValueError(f"{name} is a number {bounds}, not {value}")
    return int(value)


def as_bool(name: str, value: Any) -> bool:
    """A bool, from one of any kind; what else Python takes for true or false is neither."""
    if type(value).__name__ not in ("bool", "bool_") and not (type(value) is int and value in (0, 1)):
        raise TypeError(f"{name} is True or False, not {_shown(value)}")
    return bool(value)


def as_float(name: str, value: Any) -> float:
    """A float that is not negative; not NaN either."""
    expect(name, value, numbers.Real, "a number")
    if not value >= 0:
        raise ValueError(f"{name} is a number from 0 on, not {value}")
    return float(value)


def as_list(name: str, value: Any, what: str) -> list[Any]:
    """The elements of what has some; a text has none."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} is {what}, not {_shown(value)}")
    return list(value)


def as_dict(name: str, value: Any, what: str = "a dict by name") -> dict[Any, Any]:
    """A dict of any mapping; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, collections.abc.Mapping) and not (hasattr(value, "items") and hasattr(value, "keys")):
        raise TypeError(f"{name} is {what}, not {_shown(value)}")
    return dict(value.items())
