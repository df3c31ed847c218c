# RUN: not %relayopt --passes=tir.PlanAndUpdateBufferAllocationLocation %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((1,), "int32")):
    for i in range(16):
        with T.block("b"):
            vi = T.axis.reduce(16, i)
            T.reads(A[vi])
            T.writes(B[0])
            with T.init():
                B[0] = 0
            B[0] = B[0] + A[vi]
# CHECK: error: tir.PlanAndUpdateBufferAllocationLocation: a block still has an initialisation{{.*}} [plan-allocation-init]
