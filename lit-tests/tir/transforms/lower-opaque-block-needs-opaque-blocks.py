# RUN: not %relayopt --passes=tir.LowerOpaqueBlock %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            T.reads()
            T.writes(A[vi])
            A[vi] = vi
# CHECK: :7:9: error: tir.LowerOpaqueBlock: a block still has iteration variables: run tir.ConvertBlocksToOpaque first
