"""Targets: `llvm -mcpu=skylake`, dictionaries, tags. What they are, and what is wrong with one, is the core's to say."""

from __future__ import annotations

import threading
from types import MappingProxyType

from .. import _core
from .._arguments import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class TargetKind:
    """A kind of target: its name, `default_keys`, the DLPack number `default_device_type`, and the attributes it has."""

    type_key = "TargetKind"

    def __init__(self, name: str) -> None:
        self.name = str(name)
        (self.doc, self.default_device_type, self.default_keys, self._options,
         self.is_external) = _core.target_kind(self.name)

    @property
    def options(self) -> dict[str, str]:
        """The type keys of the values of its attributes, by name."""
        return dict(self._options)

    @staticmethod
    def options_from_name(kind_name: str) -> dict[str, str]:
        """`options` of the kind of a name."""
        return TargetKind(kind_name).options

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TargetKind) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


class TargetFeatures:
    """What a target's CPU can do: `target.features.has_dotprod`; None for a feature that its kind does not derive."""

    def __init__(self, features: dict[str, bool]) -> None:
        self._features = features

    def __getattr__(self, name: str) -> bool | None:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._features.get(name)

    def __dir__(self) -> list[str]:
        return sorted(self._features)

    def __repr__(self) -> str:
        return f"TargetFeatures({self._features})"


def _plain(value: Any) -> Any:
    """A value of a dictionary as the core reads it."""
    if isinstance(value, Target):
        return value._handle
    if isinstance(value, (bool, str)):
        return value
    if hasattr(value, "items"):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) or getattr(value, "type_key", "") == "Array":
        return [_plain(item) for item in value]
    if getattr(value, "dtype", "") == "bool":
        return bool(value)
    return int(value) if hasattr(value, "__index__") or hasattr(value, "__int__") and not isinstance(value, float) else value


def _given(value: Any) -> Any:
    """A value of the core's dictionary as users get it."""
    if isinstance(value, _core.TargetHandle):
        return Target._of(value)
    return [_given(item) for item in value] if isinstance(value, list) else value


def _handle_of(target: Any, what: str) -> Any:
    """The core's target of whatever users may write for one."""
    if isinstance(target, Target):
        return target._handle
    if isinstance(target, str):
        return _core.parse_target(as_text(what, target))
    if isinstance(target, dict) or getattr(target, "type_key", "") == "Map":
        return _core.target_of_config(_plain(target))
    raise ValueError(f"{what} has to be a string or dictionary.")


class Target:
    """A target from text, a dict, a tag, JSON or another target, with an optional host, which replaces the one it has.

    Two targets are equal when kind, tag, keys, attributes and host are. What is wrong with a text or a dict is a ValueError.

    >>> target = relayopt.target.Target("llvm -mcpu=skylake", host="llvm")
    >>> target.kind.name, target.attrs["mcpu"], target.keys
    ('llvm', 'skylake', ['cpu'])
    >>> relayopt.target.Target("nvidia/jetson-nano").arch
    'sm_53'
    >>> with target:
    ...     relayopt.target.Target.current().kind.name
    'llvm'
    >>> relayopt.target.Target("lvm")
    Traceback (most recent call last):
        ...
    ValueError: unknown target kind or tag 'lvm' (did you mean 'llvm'?)
    """

    _local = threading.local()
    type_key = "Target"
    _handle: Any

    def __init__(self, target: Any, host: Any = None) -> None:
        self._handle = _handle_of(target, "target")
        if host is not None:
            self._handle = self._handle.with_host(_handle_of(host, "target host"))

    @staticmethod
    def _of(handle: Any) -> Target:
        made: Target = object.__new__(Target)
        made._handle = handle
        return made

    @property
    def kind(self) -> TargetKind:
        return TargetKind(self._handle.kind)

    @property
    def tag(self) -> str:
        """The field `tag` of a dictionary; targets made from tags have none, as in TVM."""
        return str(self._handle.tag)

    @property
    def keys(self) -> list[str]:
        """What implementations are registered for, the most specific first."""
        return list(self._handle.keys)

    @property
    def host(self) -> Target | None:
        """The target of what runs beside it, on the CPU."""
        host = self._handle.host
        return None if host is None else Target._of(host)

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes that were given and those with defaults: ints, bools, texts, lists of them, targets."""
        return MappingProxyType({name: _given(value) for name, value in self._handle.attrs.items()})

    @property
    def features(self) -> TargetFeatures:
        """What the kind derives from the CPU and its extensions."""
        return TargetFeatures(self._handle.features)

    @staticmethod
    def _stack() -> list[Target]:
        if not hasattr(Target._local, "stack"):
            Target._local.stack = []
        stack: list[Target] = Target._local.stack
        return stack

    @staticmethod
    def current(allow_none: bool = True) -> Any:
        """The innermost target entered by this thread."""
        stack = Target._stack()
        if stack:
            return stack[-1]
        if allow_none:
            return None
        raise ValueError("Target context required. Please set it by constructing a TVM Target")

    def __enter__(self) -> Target:
        Target._stack().append(self)
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        Target._stack().pop()

    def export(self) -> dict[str, Any]:
        """The dict from which the same target can be made: `kind`, `tag`, `keys`, the attributes, and `host` as a dict."""
        config = {}
        for name, value in self._handle.export().items():
            value = _given(value)
            config[name] = value.export() if name == "host" else value
        return config

    def with_host(self, host: Any = None) -> Target:
        """The same target with another host, or without one."""
        return Target._of(self._handle.with_host(None if host is None else _handle_of(host, "target host")))

    @staticmethod
    def from_device(device: Any) -> Any:
        raise ValueError("there are no devices to ask: relayopt has the CPU only")

    def get_kind_attr(self, attr_name: str) -> Any:
        """An attribute of the kind: `is_external_codegen`; None for others, which are about code generation."""
        return {"is_external_codegen": self.kind.is_external}.get(attr_name)

    def get_target_device_type(self) -> int:
        """The DLPack number of the device that runs its programs."""
        return int(self._handle.device_type)

    @staticmethod
    def list_kinds() -> list[str]:
        return list(_core.target_kinds())

    @staticmethod
    def canon_target(target: Any) -> Target | None:
        """A target of anything that names one; None stays None."""
        return target if target is None or isinstance(target, Target) else Target(target)

    @staticmethod
    def canon_target_and_host(target: Any, target_host: Any = None) -> tuple[Target | None, Target | None]:
        """The target with its host, and the host: the one it has, or else the one given."""
        made = Target.canon_target(target)
        if made is None:
            if target_host is not None:
                raise AssertionError("Target host is not empty when target is empty.")
            return None, None
        if made.host is None and target_host is not None:
            made = made.with_host(target_host)
        return made, made.host

    @staticmethod
    def canon_multi_target(multi_targets: Any) -> list[Target] | None:
        """The targets of one, of a list, or of a dict from devices to targets."""
        if multi_targets is None:
            return None
        if isinstance(multi_targets, (dict, str, Target)) and not (isinstance(multi_targets, dict) and "kind" not in multi_targets):
            return [Target(multi_targets)]
        values = multi_targets.values() if hasattr(multi_targets, "values") else multi_targets
        return [Target(target) for target in values]

    @staticmethod
    def canon_multi_target_and_host(target: Any, target_host: Any = None) -> list[Target]:
        """The targets, each with its host or else the one given."""
        made = Target.canon_multi_target(target)
        if not made:
            raise AssertionError("a target is needed")
        return [each.with_host(target_host) if each.host is None and target_host is not None else each for each in made]

    @staticmethod
    def canon_target_map_and_host(target_map: Any, target_host: Any = None) -> tuple[dict[Target, Any], Target | None]:
        """A dict from targets to modules with canonical keys that have the host, and the host."""
        made = {}
        host = Target.canon_target(target_host)
        for given, module in target_map.items():
            target, own = Target.canon_target_and_host(given, host)
            if target is not None:
                made[target] = module
            host = own if own is not None else host
        return made, host

    @staticmethod
    def target_or_current(target: Any) -> Target:
        """The target given, or else the innermost one entered."""
        target = target if target is not None else Target.current()
        if target is None:
            raise ValueError("Target is not set in env or passed as argument.")
        return target if isinstance(target, Target) else Target(target)

    def _number(self, name: str, default: int | None = None) -> int:
        value = self.attrs.get(name, default)
        if value is None:
            raise KeyError(f"targets of kind {self._handle.kind} have no {name} unless it is given")
        return int(value)

    arch = property(lambda self: str(self.attrs.get("arch", "")))
    mcpu = property(lambda self: str(self.attrs.get("mcpu", "")))
    mattr = property(lambda self: list(self.attrs.get("mattr", [])))
    libs = property(lambda self: list(self.attrs.get("libs", [])))
    model = property(lambda self: str(self.attrs.get("model", "unknown")))
    device_name = property(lambda self: str(self.attrs.get("device", "")))
    max_num_threads = property(lambda self: self._number("max_num_threads"))
    max_block_size_x = property(lambda self: self._number("max_block_size_x", self.max_num_threads))
    max_block_size_y = property(lambda self: self._number("max_block_size_y", self.max_num_threads))
    thread_warp_size = property(lambda self: self._number("thread_warp_size"))
    max_shared_memory_per_block = property(lambda self: self._number("max_shared_memory_per_block"))
    vtcm_capacity = property(lambda self: self._number("vtcm-capacity", 0))
    l2_cache_size_bytes = property(lambda self: self._number("l2_cache_size_bytes", 0))
    supports_cooperative_matrix = property(lambda self: bool(self.attrs.get("supports_cooperative_matrix", False)))
    supports_integer_dot_product = property(lambda self: bool(self.attrs.get("supports_integer_dot_product", False))
                                            or "+dotprod" in self.mattr)

    @property
    def max_function_args(self) -> int:
        """How many arguments a kernel may have, where the target says so; 0: any number."""
        return self._number("max_function_args", 0)

    def same_as(self, other: Any) -> bool:
        return isinstance(other, Target) and bool(self._handle.is_same(other._handle))

    def __str__(self) -> str:
        """The canonical text, which has neither host nor tag."""
        return str(self._handle.text)

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and self._handle.json == other._handle.json

    def __hash__(self) -> int:
        return hash(self._handle.json)

    def __reduce__(self) -> Any:
        return Target, (self._handle.json,)


def create(target: Any) -> Target:
    """`Target(target)`."""
    return Target(target)


def list_tags() -> dict[str, Target]:
    """The targets that have names, by name."""
    return {name: Target(name) for name in _core.target_tags()}


def register_tag(name: str, config: Any, override: bool = False) -> Target:
    """Gives the target of a dictionary a name, and returns it. A name that exists is an error without `override`."""
    return Target._of(_core.register_target_tag(str(name), _plain(config), override))
