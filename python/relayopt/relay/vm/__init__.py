"""Modules for the virtual machine."""

from ..backend.vm import VMCompiler, compile
