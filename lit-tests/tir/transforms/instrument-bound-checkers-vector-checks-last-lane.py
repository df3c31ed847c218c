# Of a vector, the last lane is compared with the bound.
# RUN: %relayopt --passes=tir.InstrumentBoundCheckers %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle("int32"), n: T.int32):
    A = T.Buffer((16,), "int32", data=a)
    with T.attr(a, "buffer_bound", T.tvm_tuple(16, dtype="handle")):
        A[T.Ramp(n, 2, 4)] = T.Broadcast(1, 4)
# CHECK: if T.Cast("int64", n + 6) >= T.int64(0) and T.Cast("int64", n + 6) < T.Cast("int64", 16):
