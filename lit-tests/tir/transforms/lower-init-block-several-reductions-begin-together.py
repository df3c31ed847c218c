# With several reduction variables the initialization runs where each of them has its first value.
# RUN: %relayopt --passes=tir.LowerInitBlock %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 8, 8), "int32"), B: T.Buffer((4,), "int32")):
    for i, j, k in T.grid(4, 8, 6):
        with T.block("sum"):
            vi, vj = T.axis.remap("SR", [i, j])
            vk = T.axis.reduce((2, 8), k + 2)
            T.reads(A[vi, vj, vk])
            T.writes(B[vi])
            with T.init():
                B[vi] = 0
            B[vi] = B[vi] + A[vi, vj, vk]
# CHECK:      if vj == 0 and vk == 2:
# CHECK-NEXT:   B[vi] = 0
# CHECK-NEXT: B[vi] = B[vi] + A[vi, vj, vk]
