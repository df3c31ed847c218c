"""Types: solving constraints step by step, and operators that are registered at run time."""

import pytest

import relayopt
from relayopt import relay
from relayopt.ir import EnvFunc, structural_equal, structural_hash
from relayopt.relay.op import op as registry
from relayopt.relay.ty import FuncType, IncompleteType, TensorType, TupleType, TypeRelation

A_MATRIX = TensorType((10, 20))


class Solver:
    """The solver of TVM's tests."""

    def __init__(self):
        solver = relay.analysis._ffi_api._test_type_solver()
        self.Solve, self.Unify = solver("Solve"), solver("Unify")
        self.Resolve, self.AddConstraint = solver("Resolve"), solver("AddConstraint")

    def relate(self, name, args, out=None):
        out = IncompleteType() if out is None else out
        relation = EnvFunc.get("tvm.relay.type_relation." + name)
        self.AddConstraint(TypeRelation(relation, args + [out], len(args), None))
        return out


def test_relations_are_solved_in_whatever_order_they_can_be():
    solver = Solver()
    unknown = IncompleteType()
    late = solver.relate("Broadcast", [A_MATRIX, unknown])
    solver.relate("Identity", [unknown], out=TensorType((10, 1, 1)))
    assert solver.Solve()
    assert solver.Resolve(late) == TensorType((10, 10, 20))


def test_a_relation_without_inputs_known_stays_open():
    solver = Solver()
    solver.relate("Broadcast", [A_MATRIX, IncompleteType()])
    assert not solver.Solve()


def test_unknowns_are_bound_through_tuples():
    solver = Solver()
    pair = TupleType([IncompleteType(), A_MATRIX])
    assert solver.Unify(pair, TupleType([A_MATRIX, IncompleteType()])) == TupleType([A_MATRIX, A_MATRIX])


def test_type_parameters_stand_for_any_type():
    a, b, c = (relay.TypeVar(name) for name in "abc")
    general = FuncType([a, TupleType([b, c])], TupleType([a, b, c]), [a, b, c])
    special = FuncType([a, TupleType([a, c])], TupleType([a, a, c]), [a, c])
    assert Solver().Unify(general, special) == special


@pytest.mark.parametrize(
    "left, right",
    [
        (TupleType([A_MATRIX]), TupleType([TensorType((5,))])),
        (TupleType([A_MATRIX]), TupleType([A_MATRIX, A_MATRIX])),
        (relay.GlobalTypeVar("A"), relay.GlobalTypeVar("B")),
        (relay.GlobalTypeVar("A")(A_MATRIX), relay.GlobalTypeVar("B")(A_MATRIX)),
    ],
)
def test_types_that_cannot_be_one(left, right):
    with pytest.raises(relayopt.DiagnosticError, match="cannot be one type"):
        Solver().Unify(left, right)


def test_no_type_holds_itself():
    solver = Solver()
    inner, outer = IncompleteType(), IncompleteType()
    solver.Unify(outer, TupleType([inner, inner]))
    with pytest.raises(relayopt.DiagnosticError):
        solver.Unify(inner, outer)


def call_of_new_operator(name, relation, function=None):
    op = registry.register(name, "an operator of this test")
    op.set_num_inputs(1)
    op.add_argument("data", "Tensor", "")
    op.add_type_rel(relation, function)
    x = relay.var("x", A_MATRIX)
    return relay.Function([x], relay.add(relay.Call(op, [x]), x))


def infer(function):
    return relay.transform.InferType()(relayopt.IRModule.from_expr(function))["main"]


def test_a_new_operator_with_a_relation_by_name():
    function = infer(call_of_new_operator("test.identity", "Identity"))
    assert function.checked_type == FuncType([A_MATRIX], A_MATRIX)


def test_a_new_operator_with_a_relation_in_python():
    def relation(arg_types, attrs):
        assert attrs is None
        (data,) = arg_types
        return TensorType(data.shape, data.dtype)

    function = infer(call_of_new_operator("test.same", "Same", relation))
    assert function.body.args[0].checked_type == A_MATRIX


def test_what_a_relation_raises_comes_back():
    fault = KeyError("no such type")

    def relation(arg_types, attrs):
        raise fault

    with pytest.raises(KeyError) as caught:
        infer(call_of_new_operator("test.fails", "Fails", relation))
    assert caught.value is fault


def test_an_operator_without_a_rule_is_an_error():
    op = registry.register("test.untyped")
    x = relay.var("x", A_MATRIX)
    with pytest.raises(relayopt.DiagnosticError, match="test.untyped has no type rule"):
        infer(relay.Function([x], relay.Call(op, [x])))


def test_relations_have_names():
    with pytest.raises(ValueError, match="unknown type relation"):
        registry.register("test.unknown").add_type_rel("Nothing")


def test_free_variables_have_hashes_of_their_own():
    x, y = relay.var("x", shape=(3,)), relay.var("y", shape=(3,))
    assert structural_hash(x) != structural_hash(y)
    assert structural_hash(x, map_free_vars=True) == structural_hash(y, map_free_vars=True)
    assert structural_hash(relay.Function([x], x)) == structural_hash(relay.Function([y], y))


def test_constants_of_other_shapes_have_other_hashes():
    assert structural_hash(relay.const(1)) != structural_hash(relay.const([1]))


def test_an_unknown_type_is_equal_to_itself_only():
    unknown = relay.IncompleteType()
    assert structural_equal(unknown, unknown)
    assert not structural_equal(unknown, relay.IncompleteType())


def test_the_standard_library_has_types_when_it_is_read():
    from relayopt.relay.prelude import Prelude

    prelude = Prelude()
    a = relay.TypeVar("a")
    assert prelude.mod[prelude.id].checked_type == relay.FuncType([a], a, [a])


def test_extents_may_be_rounded_numbers():
    from relayopt import te, tir

    h, n = te.size_var("h"), te.size_var("n")
    call = relay.nn.upsampling(relay.var("x", relay.TensorType((n, 3, h, 8))), scale_h=2, scale_w=2, method="bilinear")
    doubled = tir.Cast("int32", te.round(h * tir.const(2.0, "float64")))
    assert relay.testing.run_infer_type(call).checked_type == relay.TensorType((n, 3, doubled, 16))


def test_functions_of_a_solver_may_be_kept_as_its_attributes():
    solver = relay.analysis._ffi_api._test_type_solver()
    solver.Unify = solver("Unify")
    assert solver.Unify(A_MATRIX, IncompleteType()) == A_MATRIX


def test_a_generic_function_is_what_it_was_made_equal_to():
    solver = Solver()
    a, b = relay.TypeVar("a"), relay.TypeVar("b")
    open_function = FuncType([IncompleteType()], IncompleteType(), [relay.TypeVar("c"), relay.TypeVar("d")])
    assert solver.Unify(open_function, FuncType([a], b, [a, b])) == solver.Resolve(open_function)


def test_calls_of_generic_functions_have_type_arguments():
    mod = relay.parse("""#[version = "0.0.5"]
def @pair[A, B](%x: A, %y: B) -> (A, B) { (%x, %y) }
def @main(%f: float32, %g: int8) { @pair(%f, %g) }
""")
    assert [str(t) for t in mod["main"].body.type_args] == ["float32", "int8"]


def test_extents_of_constants_are_numbers():
    doubled = relayopt.tir.Cast("int32", relayopt.te.round(64 * relayopt.tir.const(2.0, "float64")))
    assert TensorType((doubled,)) == TensorType((128,))


def test_constants_are_ordered_as_their_values():
    two = relayopt.tir.IntImm("int32", 2)
    assert two < 2.5 and two <= 2.5 and not two > 2.5 and not two >= 2.5
    assert two < relayopt.tir.IntImm("int32", 3) and two >= relayopt.tir.IntImm("int32", 2)
