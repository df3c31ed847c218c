# Loops, blocks, axes, regions and the implied root block come back as they were written.
# RUN: %relayopt %s | FileCheck %s --strict-whitespace --match-full-lines
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((128, 4), "float32"), B: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i, k in T.grid(4, 128):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vk, vi])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vk, vi]
#      CHECK:    @T.prim_func
# CHECK-NEXT:    def main(A: T.Buffer((128, 4), "float32"), B: T.Buffer((4,), "float32")):
# CHECK-NEXT:        # with T.block("root"):
# CHECK-NEXT:        for i, k in T.grid(4, 128):
# CHECK-NEXT:            with T.block("B"):
# CHECK-NEXT:                vi, vk = T.axis.remap("SR", [i, k])
# CHECK-NEXT:                T.reads(A[vk, vi])
# CHECK-NEXT:                T.writes(B[vi])
# CHECK-NEXT:                with T.init():
# CHECK-NEXT:                    B[vi] = T.float32(0)
# CHECK-NEXT:                B[vi] = B[vi] + A[vk, vi]
