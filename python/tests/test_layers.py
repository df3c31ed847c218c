"""Modules of the package stand in layers: none imports, in a function or outside, one that needs it in turn.

Files of packages, which gather names, are left out, and so is what only type checkers read. What a lower layer asks of a higher
one it gets by `relayopt._ffi.provided` or `class_of`.
"""

import ast
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1] / "relayopt"


def _modules():
    """{name: path} of the modules that are no packages."""
    return {".".join(["relayopt", *path.relative_to(ROOT).with_suffix("").parts]): path
            for path in sorted(ROOT.rglob("*.py")) if path.name != "__init__.py"}


def _statements(tree):
    """The nodes below one, without what only type checkers read."""
    work = [tree]
    while work:
        node = work.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            work.extend(node.orelse)
            continue
        yield node
        work.extend(ast.iter_child_nodes(node))


def _imports(name, text, known):
    """The modules that a module imports, of those that are known."""
    found = set()
    for node in _statements(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = name.split(".")[: -node.level]
            module = ".".join([*above, *([node.module] if node.module else [])])
            found.update(target for alias in node.names for target in (f"{module}.{alias.name}", module) if target in known)
    return found - {name}


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


def test_no_module_needs_itself():
    modules = _modules()
    imports = {name: _imports(name, path.read_text(encoding="utf-8"), modules) for name, path in modules.items()}
    assert sum(map(len, imports.values())) > 200
    assert " -> ".join(_circle(imports)) == ""


def test_a_circle_is_noticed_wherever_the_import_stands():
    known = {"relayopt.a": "", "relayopt.b": "", "relayopt.c": ""}
    texts = {"relayopt.a": "from .b import f", "relayopt.b": "def f():\n    from . import c",
             "relayopt.c": "if TYPE_CHECKING:\n    from .b import f"}
    imports = {name: _imports(name, text, known) for name, text in texts.items()}
    assert _circle(imports) == []
    imports["relayopt.c"] = _imports("relayopt.c", "def g():\n    from .a import h", known)
    assert _circle(imports) == ["relayopt.a", "relayopt.b", "relayopt.c", "relayopt.a"]
