"""Tensors and functions of tvm_ffi, which today's TVM and PyTorch share."""

import numpy as np
import pytest

import relayopt
from relayopt import nd, relay

tvm_ffi = pytest.importorskip("tvm_ffi")


def test_tensors_of_tvm_ffi_are_tensors():
    tensor = tvm_ffi.from_dlpack(np.arange(4, dtype="float32"))
    np.testing.assert_array_equal(nd.array(tensor).numpy(), np.arange(4))
    np.testing.assert_array_equal(nd.from_dlpack(tensor).numpy(), np.arange(4))
    mod = relayopt.IRModule.from_expr(relay.negative(relay.var("x", shape=(4,))))
    run = relay.create_executor("debug", mod=mod, target="llvm").evaluate()
    np.testing.assert_array_equal(run(tensor).numpy(), -np.arange(4))


def test_tensors_are_tensors_of_tvm_ffi_without_a_copy():
    array = nd.array(np.arange(4, dtype="int32"))
    there = np.from_dlpack(tvm_ffi.from_dlpack(array))
    np.testing.assert_array_equal(there, np.arange(4))
    assert np.shares_memory(there, array.numpy(copy=False))


def test_functions_cross_both_ways():
    add = relayopt.runtime.convert(tvm_ffi.get_global_func("testing.echo"))
    assert add(7) == 7
    twice = relayopt.runtime.convert(tvm_ffi.convert(lambda x: x * 2))
    assert twice(21) == 42
    relayopt.register_func("test.of_tvm_ffi", tvm_ffi.convert(lambda x, y: x + y), override=True)
    assert relayopt.get_global_func("test.of_tvm_ffi")(4, 5) == 9
    relayopt.runtime.packed_func.remove_global_func("test.of_tvm_ffi")
    assert tvm_ffi.convert(relayopt.runtime.convert(lambda x: x + 1))(1) == 2


def test_errors_cross():
    def fails():
        raise KeyError("over there")

    with pytest.raises(KeyError, match="over there"):
        relayopt.runtime.convert(tvm_ffi.convert(fails))()
