# A region whose bounds have become vectors, as tir.VectorizeLoop leaves them around a block, reads back as it is printed.
# RUN: %relayopt --passes=tir.VectorizeLoop --verify-roundtrip %s > %t.py
# RUN: FileCheck %s < %t.py
# RUN: %relayopt %t.py | cmp - %t.py
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    for i in T.vectorized(4):
        with T.block(""):
            T.reads()
            # CHECK: T.writes(A[T.Ramp(0, 1, 4):T.Ramp(0, 1, 4) + {{.*}}])
            T.writes(A[i:i * 2 + n])
            A[i] = i
