# Functions of the older kind of schedules, and blocks without an initialization, stay as they are.
# RUN: %relayopt --passes=tir.LowerInitBlock %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def older(A: T.Buffer((16,), "int32"), B: T.Buffer((1,), "int32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True)})
        for k in range(16):
            with T.block("sum"):
                vk = T.axis.reduce(16, k)
                T.reads(A[vk])
                T.writes(B[0])
                with T.init():
                    B[0] = 0
                B[0] = B[0] + A[vk]

    @T.prim_func
    def plain(A: T.Buffer((16,), "int32"), B: T.Buffer((1,), "int32")):
        for k in range(16):
            with T.block("sum"):
                vk = T.axis.reduce(16, k)
                T.reads(A[vk])
                T.writes(B[0])
                B[0] = B[0] + A[vk]
# CHECK-LABEL: def older
# CHECK:       with T.init():
# CHECK-NEXT:    B[0] = 0
# CHECK-LABEL: def plain
# CHECK-NOT:   if vk == 0
# CHECK:       B[0] = B[0] + A[vk]
