"""Names of kernels."""


def mangle_module_name(mod_name):
    """The prefix of names of a module."""
    return "tvmgen" if not mod_name else f"tvmgen_{mod_name}"
