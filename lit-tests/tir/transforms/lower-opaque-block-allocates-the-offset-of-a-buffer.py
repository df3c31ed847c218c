# An offset that nothing defines is 0, since the memory is the buffer's; one that is given is allocated, too.
# RUN: %relayopt --passes='default<tir>' --validate=each --disable-output %s
# RUN: %relayopt --passes='default<tir.build;target=llvm>' --validate=each --disable-output %s
# RUN: %relayopt --passes=tir.LowerInitBlock,tir.PlanAndUpdateBufferAllocationLocation,tir.ConvertBlocksToOpaque,tir.LowerOpaqueBlock --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 4), "float32")):
    B = T.alloc_buffer((4, 4), offset_factor=4)
    C = T.alloc_buffer((4, 4), elem_offset=6)
    # CHECK-DAG: B = T.decl_buffer((4, 4), offset_factor=4)
    # CHECK-DAG: C = T.allocate([6, 4], "float32", "global")
    # CHECK-DAG: C_1 = T.decl_buffer((4, 4), data=C, elem_offset=6)
    for i, j in T.grid(4, 4):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
    for i, j in T.grid(4, 4):
        with T.block("c"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vj, vi]
    for i, j in T.grid(4, 4):
        with T.block("a"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = C[vi, vj]
