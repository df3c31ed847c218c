"""A recurrent network, unrolled."""

from __future__ import annotations

from ... import relay
from . import layers
from .init import create_workload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...ir.module import IRModule
    from ...runtime.ndarray import NDArray
    from ..function import Function


def lstm_cell(num_hidden: int, batch_size: int = 1, dtype: Any = "float32", name: str = "") -> Function:
    """The function of one step: (input, states, weights...) -> (output, states)."""
    builder = relay.ScopeBuilder()
    state = relay.TensorType((batch_size, num_hidden), dtype)
    wide = relay.TensorType((4 * num_hidden, num_hidden), dtype)
    bias = relay.TensorType((4 * num_hidden,), dtype)
    inputs = relay.Var("inputs", state)
    states = relay.Var("states", relay.TupleType([state, state]))
    i2h_weight, i2h_bias = relay.Var("i2h_weight", wide), relay.Var("i2h_bias", bias)
    h2h_weight, h2h_bias = relay.Var("h2h_weight", wide), relay.Var("h2h_bias", bias)
    i2h = builder.let("i2h", layers.dense_add_bias(data=inputs, units=num_hidden * 4, weight=i2h_weight, bias=i2h_bias,
                                                   name=f"{name}i2h"))
    h2h = builder.let("h2h", layers.dense_add_bias(data=relay.TupleGetItem(states, 0), units=num_hidden * 4,
                                                   weight=h2h_weight, bias=h2h_bias, name=f"{name}h2h"))
    gates = builder.let("gates", relay.add(i2h, h2h))
    parts = builder.let("slice_gates", relay.split(gates, indices_or_sections=4, axis=1).astuple())
    in_gate = builder.let("in_gate", relay.sigmoid(relay.TupleGetItem(parts, 0)))
    forget = builder.let("forget_gate", relay.sigmoid(relay.TupleGetItem(parts, 1)))
    transform = builder.let("in_transform", relay.tanh(relay.TupleGetItem(parts, 2)))
    out_gate = builder.let("out_gate", relay.sigmoid(relay.TupleGetItem(parts, 3)))
    next_c = builder.let("next_c", relay.add(relay.multiply(forget, relay.TupleGetItem(states, 1)),
                                             relay.multiply(in_gate, transform)))
    next_h = builder.let("next_h", relay.multiply(out_gate, relay.tanh(next_c)))
    builder.ret(relay.Tuple([next_h, relay.Tuple([next_h, next_c])]))
    result = relay.TupleType([state, relay.TupleType([state, state])])
    return relay.Function([inputs, states, i2h_weight, i2h_bias, h2h_weight, h2h_bias], builder.get(), result)


def get_net(iterations: int, num_hidden: int, batch_size: int = 1, dtype: Any = "float32") -> Function:
    """The function of so many steps."""
    state = relay.TensorType((batch_size, num_hidden), dtype)
    wide = relay.TensorType((4 * num_hidden, num_hidden), dtype)
    bias = relay.TensorType((4 * num_hidden,), dtype)
    inputs = relay.Var("data", state)
    weights = [relay.Var("i2h_weight", wide), relay.Var("i2h_bias", bias), relay.Var("h2h_weight", wide),
               relay.Var("h2h_bias", bias)]
    builder = relay.ScopeBuilder()
    zeros = builder.let(("zeros", state), relay.zeros((batch_size, num_hidden), dtype))
    states = builder.let("init_states", relay.Tuple([zeros, zeros]))
    result = None
    for i in range(iterations):
        cell = builder.let(f"lstm_{i}", lstm_cell(num_hidden, batch_size, dtype, f"lstm_{i}_"))
        call = builder.let(f"call_{i}", relay.Call(cell, [inputs, states] + weights))
        result = builder.let(f"out_{i}", relay.TupleGetItem(call, 0))
        states = builder.let(f"states_{i}", relay.TupleGetItem(call, 1))
    builder.ret(result)
    return relay.Function([inputs] + weights, builder.get(), state)


def get_workload(iterations: int, num_hidden: int, batch_size: int = 1,
                 dtype: Any = "float32") -> tuple[IRModule, dict[str, NDArray]]:
    """(module, parameters) of the network."""
    return create_workload(get_net(iterations, num_hidden, batch_size, dtype))
