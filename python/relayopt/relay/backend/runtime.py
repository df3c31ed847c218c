"""The run time that a module is built for, and its options."""

from .executor import _Options


class Runtime(_Options):
    """cpp or crt."""

    flag = "runtime"
    defaults = {}
    known = {"cpp": {"system-lib": bool}, "crt": {"system-lib": bool}}
