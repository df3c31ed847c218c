# RUN: %relayopt --passes=tir.LowerInitBlock %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 16), "int32"), B: T.Buffer((4,), "int32")):
    for i, k in T.grid(4, 16):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(B[vi])
            with T.init():
                B[vi] = 0
            B[vi] = B[vi] + A[vi, vk]
# CHECK-NOT:  T.init
# CHECK:      if vk == 0:
# CHECK-NEXT:   B[vi] = 0
# CHECK-NEXT: B[vi] = B[vi] + A[vi, vk]
