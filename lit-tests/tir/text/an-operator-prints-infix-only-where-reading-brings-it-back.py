# `T.Add(0, i)` would fold when it was read as `0 + i`.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), i: T.int32, x: T.int8):
    A[0] = T.Add(0, i)
    A[1] = T.Add(i, i) * 2
    A[2] = T.Cast("int32", T.FloorMod(x, T.int8(1)))
    A[3] = T.FloorMod(i, 1)
    A[4] = 0 + i * 1
# CHECK: A[0] = T.Add(0, i)
# CHECK: A[1] = (i + i) * 2
# CHECK: A[2] = T.Cast("int32", x % T.int8(1))
# CHECK: A[3] = T.FloorMod(i, 1)
# CHECK: A[4] = i
