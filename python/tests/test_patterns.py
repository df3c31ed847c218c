"""Dataflow patterns, which the core matches."""

import pytest

import relayopt
from relayopt import relay
from relayopt.relay.dataflow_pattern import (CallPattern, DFPatternCallback, is_constant, is_expr, is_let, is_op, is_tuple, is_var,
                                             rewrite, wildcard)

X, Y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))


class Replace(DFPatternCallback):
    def __init__(self, pattern, make, **options):
        super().__init__(**options)
        self.pattern, self.make = pattern, make

    def callback(self, pre, post, node_map):
        return self.make(pre, post, node_map)


@pytest.mark.parametrize("pattern", [
    lambda: is_op("add")(1, wildcard()), lambda: is_tuple([wildcard(), None]), lambda: CallPattern(3, []),
    lambda: wildcard() | 3, lambda: is_op("add")(wildcard(), "x"),
])
def test_a_pattern_is_made_of_patterns(pattern):
    with pytest.raises(TypeError, match="is made of patterns"):
        pattern().match(X)


def test_an_expression_is_matched_by_identity_or_structure():
    assert is_expr(X).match(X) and not is_expr(X).match(Y)
    assert is_expr(relay.tanh(X)).match(relay.tanh(X)) and not is_expr(relay.tanh(X)).match(relay.tanh(Y))
    assert is_expr(relay.GlobalVar("f")).match(relay.GlobalVar("g")) is False
    pattern = is_op("add")(is_expr(X), wildcard())
    assert pattern.match(relay.add(X, Y)) and pattern.match(relay.add(Y, X)) and not pattern.match(relay.add(Y, Y))


def test_a_pattern_that_occurs_twice_is_one_expression():
    once = wildcard()
    assert is_op("add")(once, once).match(relay.add(X, X)) and not is_op("add")(once, once).match(relay.add(X, Y))


def test_attributes_of_a_call_of_a_function():
    call = relay.Call(relay.var("f"), [X], relayopt.ir.make_node("DictAttrs", kind="a", number=2))
    pattern = wildcard()(wildcard())
    assert pattern.has_attr({"kind": "a", "number": 2}).match(call)
    assert not pattern.has_attr({"kind": "b"}).match(call) and not pattern.has_attr({"other": 1}).match(call)


def test_types_are_inferred_where_they_are_missing():
    call = relay.tanh(relay.add(X, Y))
    assert is_op("tanh")(wildcard().has_shape((2,))).match(call) and call._checked_type_ is None
    assert not is_op("tanh")(wildcard().has_dtype("int8")).match(call)
    with pytest.raises(relayopt.DiagnosticError, match="add"):
        wildcard().has_dtype("float32").match(relay.add(X, relay.var("z", shape=(3,))))
    with pytest.raises(ValueError, match="'nope' is not a data type"):
        wildcard().has_dtype("nope").match(X)


def test_a_wildcard_may_stand_for_what_contains_it():
    more = wildcard()
    chain = is_op("tanh")(more) | is_var()
    more.redirect_to(chain)
    body = X
    for _ in range(3):
        body = relay.tanh(body)
    assert is_op("nn.relu")(chain).match(relay.nn.relu(relay.tanh(X)))
    assert chain.match(X)


def test_constructors_need_no_module():
    prelude = relay.prelude.Prelude(relayopt.IRModule())
    nil, cons = prelude.mod.get_type("List")[1:]
    items = cons(X, nil())
    found = rewrite(Replace(is_op("tanh")(wildcard()), lambda pre, post, _: post.args[0]), cons(relay.tanh(X), nil()))
    relayopt.ir.assert_structural_equal(found, items)


def test_what_is_not_rewritten_stays_the_same_object():
    kept = relay.exp(X)
    body = relay.Tuple([kept, relay.tanh(Y)])
    found = rewrite(Replace(is_op("tanh")(wildcard()), lambda pre, post, _: relay.nn.relu(post.args[0])), body)
    assert found.fields[0] is kept and found.fields[1].op.name == "nn.relu" and found.fields[1].args[0] is Y


def test_lets_are_matched_step_by_step():
    a, b = relay.var("a"), relay.var("b")
    body = relay.Let(a, relay.tanh(X), relay.Let(b, relay.exp(a), relay.add(a, b)))
    inner = is_let(is_var("b"), wildcard(), wildcard())
    assert is_let(is_var("a"), is_op("tanh")(wildcard()), inner).match(body)
    assert not is_let(is_var("b"), wildcard(), wildcard()).match(body)
    found = rewrite(Replace(is_op("exp")(wildcard()), lambda pre, post, _: relay.sqrt(post.args[0])), body)
    assert found.body.value.op.name == "sqrt" and found.body.body is body.body.body


def test_long_chains_and_deep_patterns():
    body, pattern = X, is_var("x")
    for _ in range(20000):
        body, pattern = relay.tanh(body), is_op("tanh")(pattern)
    assert pattern.match(body) and not pattern.match(body.args[0])
    found = rewrite(Replace(is_op("tanh")(wildcard()), lambda pre, post, _: relay.exp(post.args[0]), rewrite_once=True), body)
    assert found.op.name == "exp" and len(relay.analysis.all_vars(found)) == 1


def test_groups_have_their_constants_inside():
    pattern = is_op("add")(wildcard(), is_constant())
    made = pattern.partition(relay.add(relay.tanh(X), relay.const(1.0)), {"Composite": "c"})
    assert len(made.args) == 1 and made.op.attrs["Composite"] == "c" and made.op.attrs["PartitionedFromPattern"] == "add_"
    refused = pattern.partition(relay.add(X, relay.const(1.0)), check=lambda expr: False)
    assert refused.op.name == "add"


def test_an_exception_of_a_callback_comes_through():
    def fail(pre, post, node_map):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rewrite(Replace(is_op("tanh")(wildcard()), fail), relay.tanh(X))
    with pytest.raises(TypeError, match="callback must return an expression, not int"):
        rewrite(Replace(is_op("tanh")(wildcard()), lambda *_: 3), relay.tanh(X))
