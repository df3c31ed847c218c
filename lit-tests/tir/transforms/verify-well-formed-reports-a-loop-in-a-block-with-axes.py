# RUN: not %relayopt --passes=tir.VerifyWellFormed %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func(check_well_formed=False)
def main(A: T.Buffer((4, 4), "float32")):
    for i, j in T.grid(4, 4):
        with T.block("update"):
            vi = T.axis.spatial(4, i)
            T.reads()
            T.writes(A[vi, 0:4])
            A[vi, j] = T.float32(1)
# CHECK: error: Well-formedness check failed: Loop iterator var j is defined outside of any block, but is used inside the non-opaque current block "update".
