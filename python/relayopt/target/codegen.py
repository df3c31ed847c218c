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
    """Whether generated code could use features of a CPU: never, because none is generated."""
    return False


def build_module(mod: Any, target: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError("relayopt generates no code")
