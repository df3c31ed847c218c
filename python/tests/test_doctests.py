"""The examples in the documentation strings of the package, and those in docs/python.md, are true."""

import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re

import numpy as np
import pytest

import relayopt
from relayopt import relay, transform

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
# What examples may use without importing it.
NAMES = {"np": np, "relayopt": relayopt, "relay": relay, "transform": transform}


class _Checker(doctest.OutputChecker):
    """Empty lines at the end, as after the text of a module, are left out of examples."""

    def check_output(self, want, got, flags):
        return super().check_output(want.rstrip() + "\n", got.rstrip() + "\n", flags) or want == got


def _modules():
    yield relayopt
    for found in pkgutil.walk_packages(relayopt.__path__, "relayopt."):
        if not found.name.endswith("__main__") and not found.name.endswith("._core"):
            yield importlib.import_module(found.name)


def _made_at_run_time():
    """(name, function) of the builders of operators and the factories of passes, which stand in no source."""
    for space, recipes in relay.op._recipes.items():
        for name in sorted(recipes):
            yield "relay." + (f"{space}.{name}" if space else name), recipes[name]()
    for name in relay.transform.transform.__all__:
        yield f"relay.transform.{name}", getattr(relay.transform, name)


def _examples():
    """{name: example} of all that has one."""
    parser, finder, found = doctest.DocTestParser(), doctest.DocTestFinder(exclude_empty=True), {}
    for module in _modules():
        for test in finder.find(module, module.__name__, module=module):
            if test.examples:
                found[test.name.removeprefix("relayopt.")] = (test.docstring, test.filename, test.lineno)
    for name, function in _made_at_run_time():
        text = inspect.getdoc(function) or ""
        if ">>>" in text and not any(text == inspect.cleandoc(known) for known, _, _ in found.values()):
            found[name] = (text, None, None)
    if PAGE.exists() and ">>>" in PAGE.read_text(encoding="utf-8"):
        found[PAGE.name] = (PAGE.read_text(encoding="utf-8").replace("```", "\n"), str(PAGE), 0)
    return {name: parser.get_doctest(text, dict(NAMES), name, file, line or 0) for name, (text, file, line) in found.items()}


EXAMPLES = _examples()

# Entry points that have an example.
DOCUMENTED = """
models.load models.loads models.save models.run models.pipeline models.summary models.diff batching.batch faults.validate faults.bisect faults.reduce
relay.backend.interpreter.Executor.profile relay.parser.parse relay.parser.fromtext relay.parser.parse_expr ir.module.IRModule
ir.module.IRModule.from_expr ir.transform.Pass ir.transform.PassContext ir.transform.Sequential ir.transform.module_pass
ir.transform.function_pass ir.transform.PrimFuncPass ir.instrument.pass_instrument ir.instrument.PassInstrument
relay.expr.var relay.expr.const relay.expr.Call relay.expr.Let relay.expr.If relay.expr.bind relay.function.Function
relay.adt.Match relay.adt.TypeData relay.expr_functor.ExprVisitor relay.expr_functor.ExprMutator
relay.patterns.wildcard relay.patterns.is_op relay.dataflow_pattern.match
relay.dataflow_pattern.partition relay.dataflow_pattern.rewrite relay.dataflow_pattern.DFPatternCallback
relay.analysis.analysis.free_vars relay.analysis.analysis.post_order_visit relay.analysis.analysis.well_formed
relay.build_module.create_executor relay.build_module.build contrib.graph_executor.GraphModule
runtime.vm.VirtualMachine runtime.ndarray.NDArray runtime.ndarray.array runtime.ndarray.from_dlpack
runtime.packed_func.register_func runtime.packed_func.get_global_func ir.base.save_json ir.base.load_json ir.json_compact.upgrade_json
ir.base.structural_equal runtime.params.save_param_dict target.target.Target trace.Trace relay.nn.conv2d
relay.transform.transform.SimplifyExpr relay.transform.transform.FoldConstant
""".split()


def _run(test):
    """What a run of an example says against it."""
    said = []
    doctest.DocTestRunner(_Checker(), optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_example_is_true(name):
    assert _run(EXAMPLES[name]) == ""


@pytest.mark.parametrize("name", DOCUMENTED)
def test_entry_point_has_an_example(name):
    assert name in EXAMPLES


PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8") if PAGE.exists() else "", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_program_of_the_page_runs(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(program, str(PAGE), "exec"), {})


def test_an_example_that_is_wrong_is_noticed():
    wrong = doctest.DocTestParser().get_doctest(">>> relay.const(1).data.numpy()\narray(2)\n", dict(NAMES), "wrong", None, 0)
    assert "Expected:\n    array(2)" in _run(wrong)
