# RUN: %relayopt --validate --passes=tir.Simplify --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    A[T.Add(0, 1)] = T.float32(0)
    T.evaluate(T.ptx_arrive_barrier(0))
# CHECK: validate: 1 pass: 0 ok (0 bit-exact), 0 mismatches, 0 unchanged, 1 not validated (a call of tir.ptx_arrive_barrier cannot be evaluated)
