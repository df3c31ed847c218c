"""What generates code for targets: nothing does here, and these functions say so to programs that ask before they use it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


def llvm_version_major(allow_none: bool = False) -> int | None:
    """The major version of the LLVM that code is generated with: 0, because none is, or None with `allow_none`."""
    return None if allow_none else 0


def llvm_get_targets() -> list[str]:
    """The targets that LLVM generates code for: none."""
    return []


def target_has_features(cpu_features: Any, target: Any = None) -> bool:
    """Whether the CPU of a target, by default of the current one, has all of the features, named as in `-mattr`."""
    from .target import Target

    chosen = Target.target_or_current(target)
    names = [cpu_features] if isinstance(cpu_features, str) else list(cpu_features)
    return all(chosen._handle.has_feature(str(name).lstrip("+")) for name in names)


def build_module(mod: Any, target: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError("relayopt generates no code")
