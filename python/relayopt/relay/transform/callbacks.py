"""Passes that ask functions registered in Python. What nobody registered anything about is left to the core."""

from ... import _core
from ...ir.op import Op, run_time_attributes
from ...ir.transform import PassContext, PassInfo, Sequential, function_pass, module_pass
from ..dataflow_pattern import partition, rebuild
from ..expr import Call, RelayExpr, TupleGetItem, TupleWrapper
from ..function import Function


def _make(name, **options):
    from .transform import _make as make

    return make(name, **options)


def _expr(value):
    return value.astuple() if isinstance(value, TupleWrapper) else value


def forward_rewrite(root, visit):
    """Rebuilds an expression, operands first; `visit(old, new)` gives what becomes of each node."""
    memo = {}
    for node in _core.post_order(root):
        memo[node] = visit(node, rebuild(node, memo))
    return memo[root]


def legalize(attr_name):
    """Replaces calls as the functions registered under a name say: `f(attrs, inputs, types)`."""

    @function_pass(opt_level=1, name="Legalize", required=["InferType"])
    def run(func, mod, ctx):
        from ...runtime.convert import convert

        rules = run_time_attributes(attr_name)

        def visit(old, new):
            if not (isinstance(old, Call) and isinstance(old.op, Op) and old.op.name in rules):
                return new
            types = [arg.checked_type for arg in old.args] + [old.checked_type]
            made = rules[old.op.name](old.attrs, convert(list(new.args)), convert(types))
            return new if made is None else _expr(made)

        return forward_rewrite(func, visit)

    return run


def merge_composite(table):
    """Makes composite functions of what looks like the patterns of a table."""

    @function_pass(opt_level=0, name="MergeComposite", required=["InferType"])
    def run(func, mod, ctx):
        result = func
        for entry in table:
            name, pattern = str(entry[0]), entry[1]
            check = entry[2] if len(entry) > 2 else (lambda extract: True)
            result = partition(pattern, result, {"Composite": name}, check)
        return result

    return run


def eliminate_common_subexpr(fskip):
    """Computes equal calls once, but for those that `fskip` names."""

    @function_pass(opt_level=3, name="EliminateCommonSubexpr", required=["InferType"])
    def run(func, mod, ctx):
        from ...ir.base import structural_equal

        known = {}

        def visit(old, new):
            if isinstance(new, Call):
                if isinstance(new.op, Op) and new.op.get_attr("TOpIsStateful"):
                    return new
                if fskip(new):
                    return new
                key = (new.op, tuple(new.args))
            elif isinstance(new, TupleGetItem):
                if fskip(new):
                    return new
                key = (new.tuple_value, new.index)
            else:
                return new
            for other in known.setdefault(key, []):
                if isinstance(new, TupleGetItem) or structural_equal(other.attrs, new.attrs):
                    return other
            known[key].append(new)
            return new

        return forward_rewrite(func, visit)

    return run


def annotate_target(targets, include_non_call_ops):
    """Marks what external compilers support."""
    rules = {target: run_time_attributes("target." + target) for target in targets}
    if not any(rules.values()):
        return _make("AnnotateTarget", targets=targets, include_non_call_ops=include_non_call_ops)
    made = _make("AnnotateTarget", targets=targets, include_non_call_ops=include_non_call_ops)

    def supports(target, call):
        found = rules.get(target, {})
        return found[call.op.name](call) if call.op.name in found else None

    return _with_callbacks(made, {"supports": supports})


def _with_callbacks(core_pass, callbacks):
    """A pass of the core that asks Python."""
    run_core = core_pass._run_core

    def run(mod, context):
        raised = []

        def quiet(function):
            def ask(*args):
                if raised:
                    return None
                try:
                    return function(*args)
                except BaseException as error:  # Kept, and raised again below.
                    raised.append(error)
                    return None

            return ask

        with _core.PassCallbacks({name: quiet(function) for name, function in callbacks.items()}):
            result = run_core(mod, context)
        if raised:
            raise raised[0]
        return result

    core_pass._run_core = run
    return core_pass


def fake_quantization(hard_fail, use_qat, optional_qnn_ops):
    """FakeQuantizationToInteger; operators whose rules are registered in Python are computed by these."""
    rules = run_time_attributes("FTVMFakeQuantizationToInteger")
    core = _make("FakeQuantizationToInteger", hard_fail=hard_fail, use_qat=use_qat, optional_qnn_ops=optional_qnn_ops)
    if not rules:
        return core
    from .fake_quantization_to_integer import python_pass

    failed = set()

    # A rule in Python stands in the place of the core's: where it fails, the function is left to neither.
    @module_pass(opt_level=0, name="FakeQuantizationToInteger", required=["InferType"])
    def remaining(mod, ctx):
        kept = {var: mod[var] for var in mod.get_global_vars() if var.name_hint in failed}
        made = core(mod, ctx)
        if not kept:
            return made
        made = made._copy()
        for var, function in kept.items():
            made[var] = function
        return made

    return Sequential([python_pass(rules, hard_fail, failed), remaining], name="FakeQuantizationToInteger")
