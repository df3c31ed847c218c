"""What users' type checkers are told. `./dev pytest` gives this to mypy; an ignored line is one that has to be refused."""

from __future__ import annotations

from typing import Any, Sequence

from typing_extensions import assert_type

import relayopt
from relayopt import relay, transform
from relayopt.relay.dataflow_pattern import DFPattern, DFPatternCallback, is_op, wildcard

x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(16, 3, 3, 3))

# Expressions.
assert_type(x, relay.Var)
assert_type(relay.const(1), relay.Constant)
assert_type(relay.nn.conv2d(x, w, padding=(1, 1)), relay.Call)
assert_type(relay.split(x, 2), relay.TupleWrapper)
assert_type(relay.nn.relu(x).args, Sequence[relay.Expr])
assert_type(x.checked_type, relay.Type)
assert_type(relay.Function([x], x).params, Sequence[relay.Var])
assert_type(relay.Let(x, x, x).value, relay.Expr)
assert_type(relay.CallWithFields(relay.nn.relu(x), args=[w]), relay.Call)
assert_type(relay.Constant(relayopt.nd.array([1])).data, relayopt.nd.NDArray)
relay.nn.conv2d(x, 3)  # type: ignore[arg-type]
relay.nn.conv2d(x)  # type: ignore[call-arg]

# Modules and passes.
mod = relayopt.IRModule.from_expr(x)
assert_type(mod, relayopt.IRModule)
assert_type(relay.parse("def @main() { 1 }"), relayopt.IRModule)
assert_type(relay.transform.FoldConstant(), transform.Pass)
assert_type(relay.transform.FoldConstant()(mod), relayopt.IRModule)
assert_type(transform.Sequential([relay.transform.FuseOps(), relay.transform.InferType()])(mod), relayopt.IRModule)
relay.transform.FoldConstant()(x)  # type: ignore[arg-type]
relay.transform.FuseOps(fuse_opt_level="high")  # type: ignore[arg-type]
with transform.PassContext(opt_level=3, disabled_pass=["FoldConstant"]) as context:
    assert_type(context, transform.PassContext)
transform.PassContext(opt_level="three")  # type: ignore[arg-type]


@transform.function_pass(opt_level=1)
def same(func: relay.Function, mod: relayopt.IRModule, ctx: transform.PassContext) -> relay.Function:
    return func


assert_type(same, transform.Pass)

# Visitors and patterns.


class Names(relay.ExprVisitor):
    def visit_call(self, call: relay.Call) -> None:
        super().visit_call(call)
        assert_type(call.args[0], relay.Expr)


class Rule(DFPatternCallback):
    def callback(self, pre: relay.Expr, post: relay.Expr, node_map: Any) -> relay.Expr:
        return post


pattern = is_op("nn.relu")(wildcard())
assert_type(pattern, DFPattern)
assert_type(pattern.match(x), bool)
