# A reduction over two loops is initialized in the first iteration of both: the buffer is allocated around the outer one.
# RUN: %relayopt --passes=tir.LowerInitBlock,tir.PlanAndUpdateBufferAllocationLocation --validate %s | FileCheck %s
# RUN: %relayopt --passes='default<tir>' --validate=each --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 8, 4), "float32"), B: T.Buffer((4, 4), "float32")):
    C = T.alloc_buffer((4, 4))
    for i, ko, jo in T.grid(4, 2, 2):
        for ki, ji in T.grid(4, 2):
            with T.block("sum"):
                vi = T.axis.spatial(4, i)
                vj = T.axis.spatial(4, jo * 2 + ji)
                vk = T.axis.reduce(8, ko * 4 + ki)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk, vj]
        for ji in range(2):
            with T.block("out"):
                vi = T.axis.spatial(4, i)
                vj = T.axis.spatial(4, jo * 2 + ji)
                B[vi, vj] = C[vi, vj]
# CHECK: for i
# CHECK-NOT: for ko
# CHECK: C = T.alloc_buffer
# CHECK: for ko
