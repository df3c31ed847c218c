# RUN: not %relayopt --passes=tir.VerifyWellFormed %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func(check_well_formed=False)
def main(A: T.Buffer((4, 4), "float32")):
    for i in range(4):
        with T.block("outer"):
            vi = T.axis.spatial(4, i)
            T.reads()
            T.writes(A[vi, 0:4])
            for j in range(4):
                with T.block("inner"):
                    vk = T.axis.spatial(4, vi)
                    T.reads()
                    T.writes(A[vk, 0:4])
                    A[vk, j] = T.float32(1)
# CHECK: :16:21: error: Well-formedness check failed: Loop iterator var j is defined in block "outer", but is used inside the non-opaque current block "inner".
