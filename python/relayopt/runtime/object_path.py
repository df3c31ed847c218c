"""Where something is inside of an object."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class ObjectPath:
    """A path from a root: equal by content. Made by `ObjectPath.root()` and then step by step."""

    # What a step is told apart by, and how it is shown.
    _field = ""
    _format = ""

    def __init__(self, parent: ObjectPath | None = None, value: Any = None) -> None:
        self._parent = parent
        if self._field:
            setattr(self, self._field, value)

    @staticmethod
    def root(root_name: Any = None) -> RootPath:
        return RootPath(root_name)

    @property
    def parent(self) -> Any:
        return self._parent

    def __len__(self) -> int:
        count = 0
        at: Any = self
        while at is not None:
            count, at = count + 1, at._parent
        return count

    def get_prefix(self, length: Any) -> Any:
        """The first `length` steps, the root included."""
        if length <= 0:
            raise IndexError("Prefix length must be at least 1")
        have = len(self)
        if length > have:
            raise IndexError(f"Attempted to get a prefix longer than the path itself: {length} > {have}")
        at: Any = self
        for _ in range(have - length):
            at = at._parent
        return at

    def is_prefix_of(self, other: Any) -> Any:
        return len(self) <= len(other) and other.get_prefix(len(self)) == self

    def attr(self, attr_key: str) -> ObjectPath:
        return UnknownAttributeAccessPath(self) if attr_key is None else AttributeAccessPath(self, attr_key)

    def array_index(self, index: int) -> ArrayIndexPath:
        return ArrayIndexPath(self, int(index))

    def missing_array_element(self, index: int) -> MissingArrayElementPath:
        return MissingArrayElementPath(self, int(index))

    def map_value(self, key: str) -> MapValuePath:
        return MapValuePath(self, key)

    def missing_map_entry(self) -> MissingMapEntryPath:
        return MissingMapEntryPath(self)

    def _steps(self) -> list[tuple[type, Any]]:
        steps = []
        at: Any = self
        while at is not None:
            steps.append((type(at), at._own()))
            at = at._parent
        return steps[::-1]

    def _own(self) -> Any:
        return getattr(self, self._field) if self._field else None

    def _text(self) -> str:
        return self._format.format(self._own())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectPath) and self._steps() == other._steps()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple((cls, str(own)) for cls, own in self._steps()))

    def __str__(self) -> str:
        parts = []
        at: Any = self
        while at is not None:
            parts.append(at._text())
            at = at._parent
        return "".join(reversed(parts))

    __repr__ = __str__


class RootPath(ObjectPath):
    _field = "name"

    def __init__(self, name: Any = None) -> None:
        super().__init__(None, name)

    def _text(self) -> str:
        return str(self._own() or "<root>")


class AttributeAccessPath(ObjectPath):
    _field, _format = "attr_key", ".{}"


class UnknownAttributeAccessPath(ObjectPath):
    _format = ".<unknown attribute>"


class ArrayIndexPath(ObjectPath):
    _field, _format = "index", "[{}]"


class MissingArrayElementPath(ArrayIndexPath):
    _format = "[<missing element #{}>]"


class MapValuePath(ObjectPath):
    _field = "key"

    def _text(self) -> str:
        key = self._own()
        return f'["{key}"]' if isinstance(key, str) else f"[{key}]"


class MissingMapEntryPath(ObjectPath):
    _format = "[<missing entry>]"


def from_steps(steps: Sequence[str]) -> ObjectPath:
    """The path of what the core names by `.field`, `[index]` and `["key"]`; a last `?` says that it is missing."""
    path: ObjectPath = ObjectPath.root()
    for step in steps:
        missing = step.endswith("?")
        step = step[:-1] if missing else step
        if step.startswith("."):
            path = path.attr(step[1:])
        elif step.startswith('["'):
            path = path.missing_map_entry() if missing else path.map_value(step[2:-2])
        else:
            index = int(step[1:-1])
            path = path.missing_array_element(index) if missing else path.array_index(index)
    return path
