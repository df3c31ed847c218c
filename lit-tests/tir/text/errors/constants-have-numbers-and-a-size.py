# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(x: T.int32):
    T.evaluate(T.allocate_const([1], "handle", [1]))
    # CHECK: :[[# @LINE - 1]]:38: error: expected a type of numbers, found handle
    T.evaluate(T.allocate_const([1], "int32x4", [1]))
    # CHECK: :[[# @LINE - 1]]:38: error: expected a type of numbers, found int32x4
    T.evaluate(T.allocate_const([1], "int128", [1]))
    # CHECK: :[[# @LINE - 1]]:38: error: expected a type of numbers, found int128
    T.evaluate(T.allocate_const([], "int32", [4611686018427387904, 4]))
    # CHECK: :[[# @LINE - 1]]:46: error: expected extents of a constant, found 4
    T.evaluate(T.allocate_const([], "int32", [-1]))
    # CHECK: :[[# @LINE - 1]]:46: error: expected extents of a constant, found -1
