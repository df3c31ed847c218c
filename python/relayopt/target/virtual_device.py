"""Where values live."""

from __future__ import annotations

from .._ffi import Object, register_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..ir.transform import PassContext
    from ..runtime.device import Device
    from .target import Target


@register_object("VirtualDevice")
class VirtualDevice(Object):
    """A device, a target and a memory scope, each of which may be open."""

    device_type_int: int
    virtual_device_id: int
    memory_scope: str

    def __init__(self, device: Device | None = None, target: Any = None, memory_scope: str = "") -> None:
        if device is None:
            self._init(-1, -1, None, memory_scope)
        else:
            self._init(device.device_type, device.device_id, None, memory_scope)
        self.__dict__["_target"] = target

    @property
    def device_type(self) -> int:
        return self.device_type_int

    @property
    def target(self) -> Any:
        """The target that was given. A device that was read from text has none."""
        return self.__dict__.get("_target")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VirtualDevice) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> Any:
        return (self.device_type_int, self.virtual_device_id, self.memory_scope)


def virtual_device_of(device: Any) -> VirtualDevice:
    """A VirtualDevice from a device, its name or another VirtualDevice."""
    from ..runtime.device import Device, device as make

    if isinstance(device, VirtualDevice):
        return device
    if device is None:
        return VirtualDevice()
    if isinstance(device, str):
        return VirtualDevice(make(device))
    if isinstance(device, Device):
        return VirtualDevice(device)
    raise ValueError(f"expecting a Device or device name, but received a {type(device)}")


class CompilationConfig:
    """The targets of a compilation, and the devices of what nobody says anything about.

    Values are on `default_primitive_virtual_device`: of the type that the context names by `relay.fallback_device_type`,
    else of the first target. Shapes are on `host_virtual_device`, a CPU.
    """

    def __init__(self, pass_context: PassContext, targets: Sequence[Target], host: Target | None) -> None:
        from ..runtime.device import Device, cpu

        self.primitive_targets, self.host_target, self.pass_context = targets, host, pass_context
        self.host_virtual_device = VirtualDevice(cpu(0), host)
        kinds = [int(target.get_target_device_type()) for target in targets]
        fallback = None if pass_context is None else pass_context.config.get("relay.fallback_device_type")
        if fallback is None:
            kind = kinds[0]
        elif int(fallback) in kinds:
            kind = int(fallback)
        else:
            raise ValueError(f"relay.fallback_device_type is {int(fallback)}, and none of the targets {targets} is for such devices")
        self.optional_homogeneous_target = targets[0] if len(targets) == 1 else None
        self.default_primitive_virtual_device = VirtualDevice(Device(kind, 0), targets[kinds.index(kind)])


def make_compilation_config(ctxt: PassContext, target: Any, target_host: Target | None = None) -> CompilationConfig:
    """The targets of a compilation."""
    from .target import Target

    targets = target if isinstance(target, (list, tuple)) else [target]
    return CompilationConfig(ctxt, [Target(t) for t in targets], target_host)
