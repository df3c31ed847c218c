"""Names that old code reaches for."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    from . import transform
    from ..runtime.packed_func import get_global_func

    found = getattr(transform, name, None)
    return found if found is not None else get_global_func("ir." + name)
