"""Small helpers."""


def get_const_tuple(in_tuple):
    """The extents as integers, where they are."""
    return tuple(int(v) if hasattr(v, "__int__") else v for v in in_tuple)


def get_const_int(expr):
    return int(expr)


def ceil_div(a, b):
    return (a + b - 1) // b
