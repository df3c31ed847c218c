# Buffers are taken from and written to an .npz by name; extents that are variables follow from them.
# RUN: %relayopt --run --bind=n=5 -o %t.npz %s
# RUN: %relayopt --run --inputs=%t.npz %S/Inputs/running-sum.py | FileCheck %s
# RUN: not %relayopt --run --inputs=%t.npz %S/Inputs/other-shape.py 2>&1 | FileCheck %s --check-prefix=SHAPE
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int64")
    for i in range(n):
        A[i] = T.Cast("int64", i * 2)
# CHECK: {{^}}A: [0, 2, 6, 12, 20]{{$}}
# SHAPE: error: A: the given tensor has another type or shape [bad-argument]
