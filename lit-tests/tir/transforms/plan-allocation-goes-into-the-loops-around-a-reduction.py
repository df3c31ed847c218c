# All loops of the reduction are inside of the tile, so the buffer is allocated there; the condition of the border does
# not count.
# RUN: %relayopt --passes=tir.LowerInitBlock,tir.PlanAndUpdateBufferAllocationLocation --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((7, 8), "float32"), B: T.Buffer((7,), "float32")):
    C = T.alloc_buffer((7,))
    for io in range(2):
        for ii, ko, ki in T.grid(4, 2, 4):
            with T.block("sum"):
                T.where(io * 4 + ii < 7)
                vi = T.axis.spatial(7, io * 4 + ii)
                vk = T.axis.reduce(8, ko * 4 + ki)
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]
        for ii in range(4):
            with T.block("out"):
                T.where(io * 4 + ii < 7)
                vi = T.axis.spatial(7, io * 4 + ii)
                B[vi] = C[vi]
# CHECK: for io
# CHECK: C = T.alloc_buffer
# CHECK: for ii
