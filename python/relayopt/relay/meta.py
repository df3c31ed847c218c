"""Texts whose `meta[key][i]` stand for objects that are given."""

import re

from .. import _core


def with_table(source, source_name, init_module, table):
    """Reads a text with a table of objects: constants, types and attributes are put into its metadata section."""
    from ..ir.json import save

    listed = {str(key): list(items) for key, items in dict(table.items()).items()}
    text = source + "\n\n#[metadata]\n" + save(listed) + "\n"
    mod = _core.parse(text, source_name, init_module)
    return mod if init_module is None else init_module._copy().update(mod)
