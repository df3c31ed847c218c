"""Texts whose `meta[key][i]` stand for objects that are given."""


def with_table(source, table):
    """The text with a table of objects - constants, types and attributes - as its metadata section."""
    from ..ir.json import save

    listed = {str(key): list(items) for key, items in dict(table.items()).items()}
    return source + "\n\n#[metadata]\n" + save(listed) + "\n"
