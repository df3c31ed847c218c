"""Modules of the package stand in layers: none imports, in a function or outside, one that needs it in turn.

Files of packages (`__init__`) count as any other, and so do the packages around what is imported while modules are imported. What
only type checkers read is left out. What a lower layer asks of a higher one it gets by `relayopt._ffi.provided` or `class_of`.
"""

import ast
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1] / "relayopt"


def _modules():
    """{name: (path, whether it is a package)}; the extension module counts as a module without imports."""
    found = {"relayopt._core": (None, False)}
    for path in sorted(ROOT.rglob("*.py")):
        parts = ["relayopt", *path.relative_to(ROOT).with_suffix("").parts]
        package = parts[-1] == "__init__"
        found[".".join(parts[:-1] if package else parts)] = (path, package)
    return found


def _statements(tree, inside_of_functions):
    """The nodes below one, without what only type checkers read."""
    work = [tree]
    while work:
        node = work.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            work.extend(node.orelse)
            continue
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) and not inside_of_functions:
            continue
        yield node
        work.extend(ast.iter_child_nodes(node))


def _imports(name, text, known, package=False, while_importing=False):
    """The modules of `known` that a module imports.

    `while_importing`: only what is imported along with it, together with the packages around that, which Python runs first,
    but for those that it is in itself.
    """
    found = set()
    parts = name.split(".")
    for node in _statements(ast.parse(text), not while_importing):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        above = parts[: len(parts) - node.level + package]
        module = ".".join([*above, *([node.module] if node.module else [])])
        for alias in node.names:
            target = f"{module}.{alias.name}" if f"{module}.{alias.name}" in known else module
            found.add(target)
            if while_importing:
                steps = target.split(".")
                found.update(around for i in range(1, len(steps)) if not f"{name}.".startswith(
                    (around := ".".join(steps[:i])) + "."))
    return (found & set(known)) - {name}


def _circle(imports):
    """A circle of imports, as a list of modules; empty when there is none."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return [*path[path.index(name):], name]
        if name in done:
            return []
        path.append(name)
        for following in sorted(imports[name]):
            if found := visit(following):
                return found
        done.add(path.pop())
        return []

    return next((found for name in sorted(imports) if (found := visit(name))), [])


def _all_imports(while_importing):
    modules = _modules()
    return {name: _imports(name, path.read_text(encoding="utf-8"), modules, package, while_importing) if path else set()
            for name, (path, package) in modules.items()}


def test_no_module_needs_itself():
    imports = _all_imports(while_importing=False)
    assert sum(map(len, imports.values())) > 400
    assert " -> ".join(_circle(imports)) == ""


def test_no_module_is_imported_while_what_it_needs_is_only_half_imported():
    imports = _all_imports(while_importing=True)
    assert sum(map(len, imports.values())) > 300
    assert " -> ".join(_circle(imports)) == ""


def test_a_circle_is_noticed_wherever_the_import_stands():
    known = {"relayopt.a": "", "relayopt.b": "", "relayopt.c": ""}
    texts = {"relayopt.a": "from .b import f", "relayopt.b": "def f():\n    from . import c",
             "relayopt.c": "if TYPE_CHECKING:\n    from .b import f"}
    imports = {name: _imports(name, text, known) for name, text in texts.items()}
    assert _circle(imports) == []
    imports["relayopt.c"] = _imports("relayopt.c", "def g():\n    from .a import h", known)
    assert _circle(imports) == ["relayopt.a", "relayopt.b", "relayopt.c", "relayopt.a"]


def test_a_circle_is_noticed_through_packages():
    known = {"relayopt": "", "relayopt.ir": "", "relayopt.ir.a": "", "relayopt.relay": "", "relayopt.relay.b": ""}
    # `from ..relay.b` runs `relayopt.relay`, which needs the package that is being imported.
    imports = {"relayopt": _imports("relayopt", "from . import ir", known, True, True),
               "relayopt.ir": _imports("relayopt.ir", "from . import a", known, True, True),
               "relayopt.ir.a": _imports("relayopt.ir.a", "from ..relay.b import f", known, False, True),
               "relayopt.relay": _imports("relayopt.relay", "from ..ir.a import g", known, True, True),
               "relayopt.relay.b": set()}
    assert imports["relayopt.ir.a"] == {"relayopt.relay", "relayopt.relay.b"}
    assert _circle(imports) == ["relayopt.ir", "relayopt.ir.a", "relayopt.relay", "relayopt.ir"]
    assert _imports("relayopt.relay", "from .b import f", known, True) == {"relayopt.relay.b"}
