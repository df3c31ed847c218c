"""Pattern tables of external compilers."""

_PATTERN_TABLES = {}


def register_pattern_table(compiler, table=None):
    """Registers the patterns of a compiler: a function, or through a decorator."""

    def register(t):
        _PATTERN_TABLES[compiler] = t() if callable(t) else t
        return t

    return register(table) if table is not None else register


def get_pattern_table(compiler):
    """The patterns of a compiler, or None."""
    return _PATTERN_TABLES.get(compiler)
