"""Reading Relay text."""

import re

from .. import _core


def _read(source, source_name, initial):
    from ..error import DiagnosticError
    from ..ir.diagnostics import report

    try:
        return _core.parse(source, source_name, initial)
    except DiagnosticError as error:
        report(error)
        raise


def parse(source, source_name="from_string", init_module=None, init_meta_table=None):
    """The module of a text, with types inferred. Faults of either are a `DiagnosticError`.

    The text may use the definitions of `init_module`, which are in the result as well; `init_meta_table` maps type keys
    to the objects that `meta[key][i]` stands for.
    """
    if init_meta_table:
        from .meta import with_table

        source = with_table(source, init_meta_table)
    from .transform import InferType

    return InferType()(_read(source, source_name, init_module))


def fromtext(source, source_name="from_string"):
    """The module of a text."""
    return parse(source, source_name)


_FREE = re.compile(r"^[ ]*free_var (%[^:;]+?)(:[^;]*)?;[^\n]*\n?", re.M)


def parse_expr(source):
    """The expression of a text; `free_var` lines declare its free variables."""
    version, body = '#[version = "0.0.5"]\n', source.strip()
    if body.startswith("#[version"):
        version, body = body.split("\n", 1)
        version += "\n"
    meta = ""
    cut = body.find("#[metadata]")
    if cut >= 0:
        body, meta = body[:cut], body[cut:]
    free = ", ".join(name + (typ or "") for name, typ in _FREE.findall(body))
    body = _FREE.sub("", body)
    mod = _read(f"{version}def @__expr__({free}) {{\n{body}\n}}\n{meta}", "from_string", None)
    return mod["__expr__"].body


def SpanCheck():
    """A pass that looks whether everything has a span."""
    from ..ir.transform import module_pass
    from .analysis import post_order_visit

    def run(mod, ctx):
        for function in mod.functions.values():
            post_order_visit(function, lambda e: None)
        return mod

    return module_pass(run, opt_level=0, name="SpanCheck")
