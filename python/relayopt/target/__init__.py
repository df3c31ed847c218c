"""Targets: what programs are compiled for. Passes read them; relayopt generates no code."""

from .target import (
    Target as Target,
    TargetKind as TargetKind,
    create as create,
    list_tags as list_tags,
    register_tag as register_tag,
)
from .presets import (
    arm_cpu as arm_cpu,
    bifrost as bifrost,
    cuda as cuda,
    hexagon as hexagon,
    intel_graphics as intel_graphics,
    mali as mali,
    micro as micro,
    opengl as opengl,
    rasp as rasp,
    riscv_cpu as riscv_cpu,
    rocm as rocm,
    stm32 as stm32,
    vta as vta,
)
from .virtual_device import VirtualDevice as VirtualDevice, make_compilation_config as make_compilation_config
from .generic_func import (
    GenericFunc as GenericFunc,
    generic_func as generic_func,
    get_native_generic_func as get_native_generic_func,
    override_native_generic_func as override_native_generic_func,
)
from . import codegen as codegen, generic_func as _generic_func, tag as tag, target as _target
