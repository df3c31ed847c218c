"""Targets: what programs are compiled for. Passes read them; relayopt generates no code."""

from .target import (
    Target, TargetKind, arm_cpu, bifrost, create, cuda, hexagon, intel_graphics, mali, opengl, rasp, riscv_cpu, rocm,
    stm32, vta, list_tags, register_tag,
)
from .virtual_device import VirtualDevice, make_compilation_config
from .generic_func import GenericFunc, generic_func, get_native_generic_func, override_native_generic_func
from . import generic_func as _generic_func, tag, target as _target
